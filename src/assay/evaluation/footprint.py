"""How much memory this process has held."""

from __future__ import annotations

import sys
from pathlib import Path


def peak_memory() -> float | None:
    """The most memory this process has held, in MB; None where the system does not tell."""
    try:
        # Linux counts afresh when a program begins here; `getrusage` would go on from what the parent process held.
        status = Path("/proc/self/status").read_text()
        return round(int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6, 1)
    except (OSError, IndexError, ValueError):
        pass
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6, 1)
