"""The package is pure, and a runtime that is a file is a line in the registry."""

import ast
from pathlib import Path

import evalgate.stack
from evalgate.stack.runtimes import RUNTIMES

FILES = sorted(Path(evalgate.stack.__path__[0]).glob("*.py"))
ALLOWED = {"re", "typing", "collections.abc"}


def _imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_only_pure_imports():
    for path in FILES:
        others = {name for name in _imports(path) if not name.startswith("evalgate.stack")} - ALLOWED
        assert others <= ({"evalgate.plain"} if path.stem == "explanation" else set()), path.name


def test_each_runtime_file_is_registered():
    with_runtime = [path.stem for path in FILES if "\nRUNTIME = Runtime(" in path.read_text(encoding="utf-8")]
    registered = [runtime.read.__module__.rpartition(".")[2] for runtime in RUNTIMES]
    assert sorted(registered) == with_runtime
    assert len({runtime.name for runtime in RUNTIMES}) == len(RUNTIMES)
