"""The wheels, installed into an empty environment away from the repository, on each Python at hand."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def find_pythons() -> list[str]:
    """Interpreters that start; one that a version manager only names is none."""
    found = [shutil.which(f"python3.{minor}") for minor in (11, 12, 13)]
    works = [p for p in found if p and subprocess.run([p, "-c", ""], capture_output=True, check=False).returncode == 0]
    return works or [sys.executable]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheels of the code and the weights, as `make dist` builds them."""
    folder = tmp_path_factory.mktemp("dist")
    for project in (ROOT, ROOT / "packages" / "small", ROOT / "packages" / "base"):
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(project)]
        subprocess.run(command, check=True, cwd=folder)
    return folder


def run(*command: str | Path, at: Path, status: int = 0) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ASSAY"))}
    done = subprocess.run([*map(str, command)], cwd=at, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_the_code_is_small_and_the_weights_are_apart(wheels: Path) -> None:
    sizes = {path.name.partition("-")[0]: path.stat().st_size for path in wheels.glob("*.whl")}
    assert set(sizes) == {"assay_check", "assay_check_small", "assay_check_base"}
    assert sizes["assay_check"] < 2_000_000
    assert max(sizes.values()) < 100_000_000


@pytest.mark.parametrize("python", find_pythons())
def test_an_answer_is_checked_with_nothing_but_the_wheels(python: str, wheels: Path, tmp_path: Path) -> None:
    run(python, "-m", "venv", "env", at=tmp_path)
    pip, assay = (
        [tmp_path / "env" / "bin" / "python", "-m", "pip", "install", "--quiet"],
        tmp_path / "env" / "bin" / "assay",
    )
    run(*pip, "--find-links", wheels, "assay-check", at=tmp_path)
    (tmp_path / "facts.txt").write_text("Mount Everest is 8,849 m high.")
    check = [assay, "check", "Mount Everest is 8,489 m high.", "--sources", "facts.txt", "--format", "json"]
    report = json.loads(run(*check, at=tmp_path, status=1))
    assert report["verdict"] == "REFUTED"
    assert "–   weights encoder/base: " in run(assay, "doctor", at=tmp_path)
    run(*pip, "--find-links", wheels, "assay-check[base]", at=tmp_path)
    report = json.loads(run(*check, "--judge", "base", at=tmp_path, status=1))
    assert (report["verdict"], report["claims"][0]["method"]) == ("REFUTED", "encoder:base")
    assert "ok  weights encoder/base" in run(assay, "doctor", at=tmp_path)
    memory = [assay, "index", "add", "facts.txt", "--memory", "memory"]
    run(*memory, at=tmp_path)  # the embedder comes with the weights of `small`


def test_the_steps_of_the_image_give_a_healthy_server(wheels: Path, tmp_path: Path) -> None:
    """What the Dockerfile does, without a daemon: the same requirement, the same command, the same health check."""
    steps = (ROOT / "Dockerfile").read_text()
    wanted = steps.split("--find-links /wheels '")[1].split("'")[0]
    check = json.loads("[" + steps.split("CMD [")[1].split("]")[0] + "]")
    run(sys.executable, "-m", "venv", "env", at=tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--find-links", wheels, wanted, at=tmp_path)
    assay = python.with_name("assay")
    (tmp_path / "settings.toml").write_text(run(assay, "keys", "new", "me", "--role", "admin", at=tmp_path))
    server = subprocess.Popen(
        [assay, "serve", "--host", "0.0.0.0", "--data", tmp_path / "data"],
        cwd=tmp_path,
        env=os.environ | {"ASSAY_CONFIG": str(tmp_path / "settings.toml"), "PYTHONPATH": ""},
    )
    try:
        for _ in range(120):
            time.sleep(0.5)
            assert server.poll() is None
            if subprocess.run([python, *check[1:]], capture_output=True, check=False).returncode == 0:
                break
        else:
            pytest.fail("the health check never passed")
        with urllib.request.urlopen("http://127.0.0.1:8017/v1/health", timeout=5) as reply:
            assert json.load(reply)["needs_key"] is True
    finally:
        server.terminate()
        server.wait(30)


def test_the_source_archive_can_be_collected(tmp_path: Path) -> None:
    pytest.importorskip("build", reason="make dist installs it")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", tmp_path, ROOT, at=tmp_path)
    archive = next(tmp_path.glob("*.tar.gz"))
    assert archive.stat().st_size < 5_000_000
    shutil.unpack_archive(archive, tmp_path)
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests"]
    run(*collect, at=archive.with_suffix("").with_suffix(""))
