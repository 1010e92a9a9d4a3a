"""The command line: `assay`. One file a command group; each parses, calls the library and prints."""

from __future__ import annotations

import sys
import warnings


def main() -> None:
    """Runs the command line; errors raised on purpose end it with a message and exit code 2."""
    from assay.cli.app import app
    from assay.errors import AssayError

    warnings.formatwarning = lambda said, *_, **__: f"assay: {said}\n"  # where in our code it was said helps nobody
    try:
        app()
    except AssayError as problem:
        sys.stderr.write(f"assay: {problem}\n")
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has gone, as in `assay check … | head`
        sys.stderr.close()
        sys.exit(1)
    except Exception as problem:
        reason = _database_failure(problem)
        if reason is None:
            raise
        sys.stderr.write(f"assay: a database failed: {reason}\n")
        sys.exit(2)


def _database_failure(problem: Exception) -> str | None:
    """What a database said, if that is what went wrong; the toolkit is not loaded just to ask."""
    toolkit = sys.modules.get("sqlalchemy.exc")
    if toolkit is None or not isinstance(problem, toolkit.DBAPIError):
        return None
    from assay.storage.database import explain_failure

    return explain_failure(problem)
