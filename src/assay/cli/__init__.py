"""The command line: `assay`. One file a command group; each parses, calls the library and prints."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line; errors raised on purpose end it with a message and exit code 2."""
    from assay.cli.app import app
    from assay.errors import AssayError

    try:
        app()
    except AssayError as problem:
        sys.stderr.write(f"assay: {problem}\n")
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has gone, as in `assay check … | head`
        sys.stderr.close()
        sys.exit(1)
