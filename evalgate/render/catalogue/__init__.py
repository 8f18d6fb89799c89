"""
The catalogue: every fixed text of what people read, in English and in Chinese, complete in both.

What comes out of a report stays as it is. The contract's lines are not in here: they are the same in every language.
"""

from collections.abc import Mapping
from typing import Any

from evalgate.gate import GateResult
from evalgate.render.catalogue import judgement, page, report
from evalgate.render.catalogue.rules import CHINESE, SignalText
from evalgate.signals import Fired, Signal, stories

LANGUAGES = ("en", "zh")

PARTS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "report": {"en": report.ENGLISH, "zh": report.CHINESE},
    "page": {"en": page.ENGLISH, "zh": page.CHINESE},
}
"""By output and language."""


class Words:
    """The texts of one output in one language."""

    def __init__(self, lang: str, part: str = "report") -> None:
        """Raise `KeyError` for a language that is none of `LANGUAGES`."""
        self.lang = lang
        self._texts = PARTS[part][lang]

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a text with its placeholders filled in; `n=1` takes the singular where there is one."""
        if values.get("n") == 1 and f"{key}_1" in self._texts:
            key = f"{key}_1"
        return self._texts[key].format(**values) if values else self._texts[key]

    def count(self, key: str, number: int, **values: object) -> str:
        """Return the text for so many: `key_1` for one of them."""
        return self(f"{key}_1" if number == 1 else key, n=f"{number:,}", **values)

    def signal(self, signal: Signal[Any]) -> SignalText:
        """Return what people read about a rule."""
        if self.lang == "zh":
            return CHINESE[signal.key]
        return SignalText(signal.page.title, signal.page.next_step, signal.columns)

    def reasons(self, result: GateResult) -> list[str]:
        """Return the reasons for the verdict."""
        if self.lang == "en":
            return list(result.reasons)
        titles = {key: (text.title, text.columns) for key, text in CHINESE.items()}
        return list(judgement.reasons(result, titles))

    def stories(self, fired: Fired[Any]) -> list[str]:
        """Return the incidents among the findings of a rule."""
        if self.lang == "en":
            return list(stories(fired))
        return [story for story in map(judgement.story, fired.findings) if story is not None]

    def mixed(self, result: GateResult) -> list[str]:
        """Return in what the two reports differ, which was allowed."""
        return [str(one) if self.lang == "en" else judgement.difference(one) for one in result.mixed]
