"""
The entry point of `evalgate` and `python -m evalgate`.

Kept apart from the command line so that even a command line that cannot be imported ends in exit code 3: Python itself
would end in 1, and a CI job would read that as a FAIL.
"""

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command with `argv` (default: the process's) and return its exit code."""
    try:
        from evalgate.cli import run

        return run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        return 130
    except Exception:
        import traceback

        from evalgate.plain import escape

        # Exception texts may quote a report.
        for line in traceback.format_exc().splitlines():
            print(escape(line), file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
