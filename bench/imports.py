"""How long it takes to import Assay and to have a first verdict, in fresh interpreters."""

from __future__ import annotations

import statistics
import subprocess
import sys

RUNS = 7
CASES = {
    "import assay": "import assay",
    "import assay, all public core names": "from assay import check, Policy, Verdict, Report, Document",
    "import assay.claims": "import assay.claims",
    "an empty interpreter, for comparison": "pass",
}
TIMER = "import time; t = time.process_time(); {code}; print((time.process_time() - t) * 1000)"


def run() -> list[tuple[str, str]]:
    rows = []
    for name, code in CASES.items():
        took = [
            float(
                subprocess.run([sys.executable, "-c", TIMER.format(code=code)], capture_output=True, check=True).stdout
            )
            for _ in range(RUNS)
        ]
        rows.append((name, f"{statistics.median(took):.1f} ms of processor time (median of {RUNS})"))
    return rows
