"""`python -m pto …` and the script `pto`: the command line, in this process."""

from __future__ import annotations

import signal
import sys


def main(args: list[str] | None = None) -> int:
    """Executes the command with these arguments (default: those of the process); returns its exit code."""
    from ._core import command

    sys.stdout.flush()
    sys.stderr.flush()
    if args is None:
        args = sys.argv[1:]
        # Ctrl-C ends the command at once, as it ends the one that is written in Rust.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(list(args))


if __name__ == "__main__":
    raise SystemExit(main())
