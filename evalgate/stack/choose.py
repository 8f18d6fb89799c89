"""
Steps 8 and 9 of the grammar: the signature of a block, and which block speaks for the text.

Everything is said once, in a Reading; `signature` and the explanation for a person both come from it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from evalgate.stack.clean import Page
from evalgate.stack.draft import Draft
from evalgate.stack.lists import GENERIC
from evalgate.stack.naming import function_name
from evalgate.stack.reading import Block, Reading
from evalgate.stack.scan import Scan


class _Verdict(NamedTuple):
    """What a block comes to."""

    root: int
    """The innermost error: it has the code."""
    named: int | None
    """The error whose frame names the place: the root, or the nearest one around it that can."""
    signature: str | None
    why: str
    final: bool = False
    """The signature is that of an error in the message, nothing around it changes it any more."""


def read(page: Page, found: Scan) -> Reading:
    """Return the reading of a page whose blocks were found."""
    verdicts = _judge_all(found.drafts)
    chosen = _choose(found, verdicts)
    used = _used_frame(found.drafts, verdicts, chosen)
    blocks = tuple(
        _block(draft, verdict, used[1] if used and used[0] == index else None, page)
        for index, (draft, verdict) in enumerate(zip(found.drafts, verdicts, strict=True))
    )
    return Reading(
        signature=verdicts[chosen].signature if chosen is not None else None,
        why=_why(page, found, verdicts, chosen),
        blocks=blocks,
        chosen=chosen,
        trailer=None if found.trailer is None else page.first_number + found.trailer,
        cut=page.cut,
    )


def _choose(found: Scan, verdicts: Sequence[_Verdict]) -> int | None:
    """
    Return the index of the block that speaks for the text (step 9).

    With a trailer it is the block that the trailer directly follows: that error ended the process, whatever was
    logged before and whatever a parent process says after. If it follows none (a thrown string, a class that is not
    read, a header that was cut away) the others are only bystanders. Without a trailer it is the last block with a
    signature: the end of a text is what survives when a tail is cut. If none has one, the last block tells why.
    """
    if found.trailer is not None:
        return found.ended
    blocks = [index for index, draft in enumerate(found.drafts) if draft.owner is None]
    for index in reversed(blocks):
        if verdicts[index].signature is not None:
            return index
    return blocks[-1] if blocks else None


def _judge_all(drafts: Sequence[Draft]) -> list[_Verdict]:
    """
    Return the verdict of each block, in linear time and without recursion.

    From the last to the first, since what is embedded in a block or caused it in a dump stands below its header. A
    Python cause stands above: such a chain is walked to its start, each link once.
    """
    verdicts: list[_Verdict | None] = [None] * len(drafts)
    for last in range(len(drafts) - 1, -1, -1):
        chain = []
        index: int | None = last
        inner = None
        while index is not None and inner is None:
            inner = verdicts[index]
            if inner is None:
                chain.append(index)
                index = drafts[index].cause
        for link in reversed(chain):
            inner = verdicts[link] = _judge(drafts, link, inner, verdicts)
    return [verdict for verdict in verdicts if verdict is not None]


def _judge(
    drafts: Sequence[Draft], index: int, cause: _Verdict | None, verdicts: Sequence[_Verdict | None]
) -> _Verdict:
    """
    Return the verdict of one block, given that of its cause (step 8).

    The code is that of the innermost error: a wrapper (`dsh failed to start`) has the same for every fault. The
    function is the innermost error's too, or that of the nearest error around it that has one.
    """
    draft = drafts[index]
    embedded = verdicts[draft.embedded] if draft.embedded is not None else None
    if embedded is not None and embedded.signature is not None:
        return embedded._replace(final=True)
    if cause is not None and cause.final:
        return cause
    root = cause.root if cause is not None else index
    named = cause.named if cause is not None else None
    if named is None and any(not frame.skipped for frame in draft.frames):
        named = index
    signature, why = _sign(drafts[root], drafts[named] if named is not None else None)
    return _Verdict(root, named, signature, why)


def _sign(root: Draft, named: Draft | None) -> tuple[str | None, str]:
    """Return the signature of an error with code from `root` and function from `named`, and how it came about."""
    if root.silent:
        return None, root.silent
    code, source = root.runtime.code(root)
    if named is not None:
        frame = next(frame for frame in named.frames if not frame.skipped)
        name = function_name(frame.name)
        where = f"{name}, the topmost named application frame"
        if named is not root:
            where += " of an error around it"
        return f"{code}@{name}", f"{code} ({source}) in {where} (line {frame.number})"
    if code == "SyntaxError" and root.load_time:
        return code, "SyntaxError in a file that could not be loaded"
    if code in GENERIC:
        return None, f"a generic class alone ({code}) with no named application frame is no signature"
    if root.name.endswith("Exception") and not root.frames:
        return None, f"{root.name} without a single frame may be any program's message"
    return code, f"{code} ({source}), no named application frame"


def _used_frame(drafts: Sequence[Draft], verdicts: Sequence[_Verdict], chosen: int | None) -> tuple[int, int] | None:
    """Return which frame of which block gave the answer its function."""
    if chosen is None or verdicts[chosen].signature is None:
        return None
    named = verdicts[chosen].named
    if named is None:
        return None
    return named, next(place for place, frame in enumerate(drafts[named].frames) if not frame.skipped)


def _block(draft: Draft, verdict: _Verdict, used: int | None, page: Page) -> Block:
    code, source = draft.runtime.code(draft)
    frames = tuple(draft.frames)
    if used is not None:
        frames = (*frames[:used], frames[used]._replace(used=True), *frames[used + 1 :])
    return Block(
        runtime=draft.runtime.name,
        number=page.first_number + draft.line,
        header=draft.header,
        code=code,
        code_source=source,
        frames=frames,
        cause=draft.cause,
        owner=draft.owner,
        embedded=draft.embedded,
        signature=verdict.signature,
        why=verdict.why,
    )


def _why(page: Page, found: Scan, verdicts: Sequence[_Verdict], chosen: int | None) -> str:
    """Return one sentence on the answer."""
    if chosen is None:
        if found.trailer is not None:
            return (
                f"The process was ended by something that is not read: no error block stands directly above "
                f"the trailer in line {page.first_number + found.trailer}."
            )
        beginning = " below the first, incomplete one" if page.cut else ""
        return f"No error header line{beginning}."
    verdict = verdicts[chosen]
    if verdict.signature is not None:
        which = "the block that ended the process" if found.trailer is not None else "the last block with a signature"
        return f"{_sentence(verdict.why)}; taken from {which}."
    if found.trailer is not None:
        return f"The block that ended the process has no signature: {verdict.why}."
    return f"{_sentence(verdict.why)}."


def _sentence(clause: str) -> str:
    return clause[:1].upper() + clause[1:]
