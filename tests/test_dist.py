"""The wheels, installed into an empty environment away from the repository, on each Python at hand."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def find_python(minor: int) -> str | None:
    """An interpreter that starts, on the PATH or of pyenv, which may only name one; None where none is at hand."""
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = [shutil.which(f"python3.{minor}"), *map(str, sorted(folder.glob(f"3.{minor}.*/bin/python3.{minor}")))]
    works = (p for p in named if p and subprocess.run([p, "-c", ""], capture_output=True, check=False).returncode == 0)
    return next(works, None)


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


@pytest.mark.parametrize("minor", [11, 12, 13])
def test_an_answer_is_checked_with_nothing_but_the_wheels(minor: int, wheels: Path, tmp_path: Path) -> None:
    python = find_python(minor)
    if python is None:
        pytest.skip(f"no Python 3.{minor} is at hand, neither on the PATH nor of pyenv")
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


def test_the_first_two_minutes_of_the_readme(wheels: Path, tmp_path: Path) -> None:
    """Typed as they stand there, in an empty folder with an empty environment; `make first-minutes` keeps the times."""
    spec = importlib.util.spec_from_file_location("first_minutes", ROOT / "docs" / "first_minutes.py")
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script
    spec.loader.exec_module(script)
    (tmp_path / "empty").mkdir()
    steps = list(script.type_steps(wheels, tmp_path / "empty"))
    assert {step.typed: step.output for step in steps if step.status not in (0, 1)} == {}
    install, first, program = steps[:3]
    assert install.typed.startswith("pip install 'assay-check")
    assert (first.status, program.status) == (1, 0)
    assert "contradicted" in first.output
    assert "contradicted" in program.output
    assert (tmp_path / "empty" / "report.html").exists()


def read_dockerfile() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with their arguments."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in text.splitlines() if line.strip()]


def test_the_dockerfile_is_clean() -> None:
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if linter is None:
        pytest.skip("hadolint is not installed: make test-slow installs it")
    done = subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_steps_of_the_image_give_a_healthy_server(wheels: Path, tmp_path: Path) -> None:
    """The steps of the Dockerfile without a daemon: folders of the image lie below another, and no user is made.

    Run by root, the server and its health check run as the user of the image, if that user can reach the interpreter:
    one of root's own, below its home, is closed to it.
    """
    steps = read_dockerfile()
    image = Path(tempfile.mkdtemp(prefix="assay-image-"))  # pytest's own folders are closed to other users
    image.chmod(0o755)
    user = int(dict(steps)["USER"])
    as_user = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}

    def below(text: str) -> str:
        for folder, place in {"/opt/assay": image / "opt", "/wheels": wheels, "/data": image / "data"}.items():
            text = re.sub(rf"(?<![\w.]){folder}(?=[/\s\"']|$)", str(place), text)
        return text

    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ASSAY"))}
    python = find_python(int(next(text for name, text in steps if name == "FROM").split("python:3.")[1][:2]))
    env["PATH"] = f"{Path(python or sys.executable).parent}{os.pathsep}{env['PATH']}"
    for command in (text for name, text in steps if name == "RUN"):
        for part in map(str.strip, below(command).split("&&")):
            if part.startswith("useradd"):
                continue
            if not as_user:
                part = part.replace(f"-o {user} ", "")  # only root can give a folder away
            subprocess.run(["bash", "-ec", part], check=True, env=env)
    env |= {"PATH": f"{image / 'opt' / 'bin'}{os.pathsep}{env['PATH']}", "HOME": str(image / "data")}
    if as_user:
        reached = f"test -x {shlex.quote(os.path.realpath(image / 'opt' / 'bin' / 'python'))}"
        if subprocess.run(["sh", "-c", reached], cwd="/", check=False, **as_user).returncode:
            as_user = {}
    keys = subprocess.run(["assay", "keys", "new", "me", "--role", "admin"], env=env, capture_output=True, check=True)
    (image / "settings.toml").write_bytes(keys.stdout)
    env["ASSAY_CONFIG"] = str(image / "settings.toml")
    known = dict(steps)
    check = json.loads(known["HEALTHCHECK"].split("CMD")[1])
    server = subprocess.Popen(
        json.loads(known["ENTRYPOINT"]) + json.loads(below(known["CMD"])), env=env, cwd=image, **as_user
    )
    try:
        for _ in range(240):
            time.sleep(0.5)
            assert server.poll() is None
            if subprocess.run(check, env=env, cwd=image, capture_output=True, check=False, **as_user).returncode == 0:
                break
        else:
            pytest.fail("the health check never passed")
        with urllib.request.urlopen("http://127.0.0.1:8017/v1/health", timeout=5) as reply:
            assert json.load(reply)["needs_key"] is True
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(image)


def test_the_tests_of_the_source_archive_can_be_collected(wheels: Path, tmp_path: Path) -> None:
    """With the code of the archive and the weights of their wheels, away from the repository."""
    pytest.importorskip("build", reason="make test-slow installs it")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", tmp_path, ROOT, at=tmp_path)
    archive = next(tmp_path.glob("*.tar.gz"))
    assert archive.stat().st_size < 5_000_000
    shutil.unpack_archive(archive, tmp_path)
    for wheel in wheels.glob("assay_check_*.whl"):
        shutil.unpack_archive(wheel, tmp_path / "weights", "zip")
    folder = archive.with_suffix("").with_suffix("")
    path = os.pathsep.join(map(str, (folder / "src", folder, tmp_path / "weights")))
    known = os.environ | {"PYTHONPATH": path}
    pytest_here = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    for arguments in (["--collect-only"], ["tests/test_weights.py", "tests/docs/test_third_party.py"]):
        command = [*pytest_here, *arguments]
        done = subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr
