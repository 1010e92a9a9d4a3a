"""What a command loads before the first verdict."""

from __future__ import annotations

import subprocess
import sys

SLOW = (
    "asyncio",
    "xml.sax",
    "rich.progress",
    "assay.memory.readers.pdf",
    "assay.memory.readers.docx",
    "assay.render.html",
)
CODE = """
import sys
sys.argv = ["assay", "check", "The mill opened in 1900.", "--source-text", "The mill opened in 1900.", "-j", "lexical",
            "--format", "text"]
from assay.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
print(" ".join(name for name in {slow!r} if name in sys.modules))
"""


def test_a_check_loads_only_what_it_needs() -> None:
    done = subprocess.run([sys.executable, "-c", CODE.format(slow=SLOW)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""
    assert "SUPPORTED" in done.stdout.upper()
