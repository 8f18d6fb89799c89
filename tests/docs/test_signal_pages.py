"""docs/signals.md holds the page of every rule, made from the rule itself."""

from pathlib import Path

from evalgate.render.page import page
from evalgate.signals import SIGNALS

DOCS = Path(__file__).parents[2] / "docs" / "signals.md"
BEGIN, END = "<!-- rules:begin -->\n", "<!-- rules:end -->\n"


def test_the_pages_are_those_of_the_rules(request):
    text = DOCS.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    expected = head + BEGIN + "\n" + "\n".join(page(signal) for signal in SIGNALS) + "\n" + END + tail
    if request.config.getoption("--update-golden"):
        DOCS.write_text(expected, encoding="utf-8")
    assert DOCS.read_text(encoding="utf-8") == expected
