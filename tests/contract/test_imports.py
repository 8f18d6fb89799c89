"""What importing loads: the gate is started on every pull request."""

import json
import subprocess
import sys

import pytest

HEAVY = ("typer", "rich", "jinja2", "click", "pydantic", "hypothesis")


def _loaded(code):
    """Return which of the heavy modules a fresh interpreter has after running `code`."""
    script = f"import json, sys\n{code}\nprint(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "module",
    ["evalgate", "evalgate.gate", "evalgate.signals", "evalgate.formats", "evalgate.errors", "evalgate.loop.rounds"],
)
def test_the_core_loads_none_of_the_libraries(module):
    assert _loaded(f"import {module}") == set()


def test_judging_facts_needs_none_of_the_libraries():
    code = (
        "from evalgate import Case, Report, Status, compare\n"
        "from evalgate.render import text, json as output\n"
        "run = Report(cases=(Case('a', Status.PASS),))\n"
        "list(text.render(compare(run, run), strict=False)), list(output.render(compare(run, run), strict=False))"
    )
    assert _loaded(code) == set()


def test_judging_a_verdict_needs_none_of_the_libraries():
    code = (
        "from evalgate import judge\n"
        "assert judge({'pass': False, 'guards': {'A_boot': {'pass': False}}}).failed_gates == ('A_boot',)"
    )
    assert _loaded(code) == set()


def test_reading_a_report_loads_neither_the_command_line_nor_a_renderer():
    assert _loaded("import evalgate.formats.dsh_eval_harness") <= {"pydantic"}


def test_the_renderers_load_their_libraries_when_they_run():
    assert not _loaded("import evalgate.render.markdown, evalgate.render.text, evalgate.render.json") & {
        "jinja2",
        "typer",
    }
