"""python -m training COMMAND ARGUMENTS...: every command is `main` of its module, and says more with --help."""

from __future__ import annotations

import sys
from importlib import import_module

COMMANDS = {  # the module of each, in the order in which they are used
    "fetch": "fetch",
    "written": "written",
    "derive": "derived",
    "schemas": "schemas",
    "fit": "fit",
    "teach": "teach",
    "close": "close",
    "bundle": "bundle",
    "calibrate": "calibrate",
    "adopt": "adopt",
    "ablation": "ablation",
}


def main() -> None:
    command, *rest = sys.argv[1:] or ["--help"]
    if command not in COMMANDS:
        wanted = command in ("-h", "--help")
        print(f"{__doc__}\n\ncommands: {', '.join(COMMANDS)}", file=sys.stdout if wanted else sys.stderr)
        raise SystemExit(0 if wanted else f"no command {command!r}")
    sys.argv = [f"python -m training {command}", *rest]
    import_module(f"training.{COMMANDS[command]}").main()


if __name__ == "__main__":
    main()
