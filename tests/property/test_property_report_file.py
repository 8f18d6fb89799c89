"""One section in any file: set twice it is set once, and every other byte stays."""

from hypothesis import example, given
from hypothesis import strategies as st

from evalgate.report_file import BEGIN, END, with_section

LINES = st.sampled_from(
    [
        BEGIN,
        END,
        BEGIN + b" ",
        b" " + BEGIN,
        b"see " + BEGIN,
        b"> " + END,
        b"```",
        b"````",
        b"```py",
        b"``` a`b",
        b"~~~",
        b"~~~~ x",
        b"    ```",
        b"",
        b"text",
        b"\xff\x00",
        b"\r",
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n", b"\r"])
files = st.one_of(
    st.binary(max_size=60),
    st.lists(st.tuples(LINES, ENDS).map(b"".join), max_size=14).map(b"".join),
    st.tuples(st.lists(st.tuples(LINES, ENDS).map(b"".join), max_size=14).map(b"".join), LINES).map(b"".join),
)
sections = st.text(st.characters(codec="utf-8", exclude_characters="\r`~"), min_size=1, max_size=40).filter(
    lambda text: not any(line.strip().encode() in (BEGIN, END) for line in text.split("\n"))
)


@given(files, sections)
@example(b"", "x")
@example(b"a\r", "x")
@example(b"\xef\xbb\xbf" + BEGIN + b"\nx\n" + END + b"\n", "x")
def test_set_twice_is_set_once(existing, section):
    once = with_section(existing, section)
    assert with_section(once, section) == once


@given(files, sections, sections)
def test_the_last_one_wins_and_leaves_no_trace_of_the_first(existing, section, other):
    assert with_section(with_section(existing, section), other) == with_section(existing, other)


@given(files, sections)
def test_every_other_byte_stays(existing, section):
    """What is before and after the new section stands at the start and the end of the old file."""
    found = with_section(existing, section)
    ending = b"\r\n" if BEGIN + b"\r\n" + section.encode().replace(b"\n", b"\r\n") + b"\r\n" + END in found else b"\n"
    block = ending.join([BEGIN, section.encode().replace(b"\n", ending), END])
    splits = [(found[:at], found[at + len(block) :]) for at in range(len(found)) if found.startswith(block, at)]
    assert splits

    def stays(head, tail):
        if existing.startswith(head) and existing.endswith(tail) and len(head) + len(tail) <= len(existing):
            replaced = existing[len(head) : len(existing) - len(tail)]
            return replaced.startswith(BEGIN) and replaced.rstrip(b" \t").endswith(END)
        # appended: the old file, at most a line end and a blank line, and nothing behind the section but a line end
        gap = head[len(existing) :]
        return head.startswith(existing) and gap in (b"", ending, ending * 2) and tail == ending

    assert any(stays(head, tail) for head, tail in splits)


@given(files, sections)
def test_it_grows_by_the_section_at_most(existing, section):
    assert len(with_section(existing, section)) <= len(existing) + 2 * len(section.encode()) + len(BEGIN + END) + 10
