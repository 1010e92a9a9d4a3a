import subprocess
import sys

from assay.evaluation.metrics import peak_memory

ASK = "from assay.evaluation.metrics import peak_memory; print(peak_memory())"


def test_what_was_held_for_a_moment_counts():
    before = peak_memory()
    held = bytearray(60_000_000)
    held[::4096] = b"x" * len(held[::4096])
    del held
    assert peak_memory() >= max(before, 60)


def test_a_new_process_does_not_inherit_what_its_parent_held():
    held = bytearray(300_000_000)
    held[::4096] = b"x" * len(held[::4096])
    found = subprocess.run([sys.executable, "-c", ASK], capture_output=True, check=True, text=True)
    assert float(found.stdout) < 200 < len(held) / 1e6
