from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.encoder import Verifier
from assay.encoder.bundle import NEEDED, find_bundle, read_bundle
from assay.errors import ModelError, UsageError
from tests.encoder.tiny import write_manifest

Maker = Callable[..., Path]


@pytest.fixture
def make_files(tmp_path: Path) -> Maker:
    """A folder with the files of a bundle and a manifest that fits them; their content is not looked at here."""

    def make(form: str = "shared", **changes: object) -> Path:
        folder = tmp_path / "tiny"
        folder.mkdir()
        for file in NEEDED[form]:
            (folder / file).write_bytes(f'{{"file": "{file}"}}'.encode())
        write_manifest(folder, form, **changes)
        return folder

    return make


def flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("form", list(NEEDED))
def test_a_bundle_holds_what_its_folder_holds(make_files: Maker, form: str) -> None:
    folder = make_files(form)
    bundle = read_bundle(folder)
    assert (bundle.name, bundle.version, bundle.format) == ("tiny", "1", form)
    assert set(bundle.contents) == set(NEEDED[form])
    assert bundle.read_json("calibration.json") == {"file": "calibration.json"}


def test_a_bundle_is_identified_by_its_manifest(make_files: Maker) -> None:
    folder = make_files()
    before = read_bundle(folder).sha256
    write_manifest(folder, version="2")
    assert read_bundle(folder).sha256 != before


@pytest.mark.parametrize(("form", "file"), [(form, file) for form, files in NEEDED.items() for file in files])
def test_one_flipped_byte_is_refused_and_named(make_files: Maker, form: str, file: str) -> None:
    folder = make_files(form)
    flip_a_byte(folder / file)
    with pytest.raises(ModelError, match=rf"{file} is damaged: its sha256 .* install Assay again"):
        read_bundle(folder)


@pytest.mark.parametrize("file", [*NEEDED["shared"], "manifest.json"])
def test_a_missing_file_is_named(make_files: Maker, file: str) -> None:
    folder = make_files()
    (folder / file).unlink()
    with pytest.raises(ModelError, match=f"{file} is missing"):
        read_bundle(folder)


def test_a_folder_where_a_file_should_be_is_named(make_files: Maker) -> None:
    folder = make_files()
    (folder / "body.onnx").unlink()
    (folder / "body.onnx").mkdir()
    with pytest.raises(ModelError, match=r"body\.onnx cannot be read \(Is a directory\)"):
        read_bundle(folder)


def test_a_cut_file_is_named_with_both_sizes(make_files: Maker) -> None:
    folder = make_files()
    content = (folder / "body.onnx").read_bytes()
    (folder / "body.onnx").write_bytes(content[:-10])
    with pytest.raises(ModelError, match=f"body.onnx has {len(content) - 10} bytes, the manifest says {len(content)}"):
        read_bundle(folder)


@pytest.mark.parametrize(("content", "message"), [(b'{"name": "ti', "is no valid JSON"), (b"\xff", "is no valid JSON")])
def test_a_damaged_manifest_is_named(make_files: Maker, content: bytes, message: str) -> None:
    path = make_files() / "manifest.json"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"manifest\.json {message}"):
        read_bundle(path.parent)


def test_a_manifest_that_is_a_list_is_refused(make_files: Maker) -> None:
    path = make_files() / "manifest.json"
    path.write_text("[]")
    with pytest.raises(ModelError, match="holds a list where an object is needed"):
        read_bundle(path.parent)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "onnx-int8"}, "garbles 'onnx-int8'"),
        ({"format": ["shared"]}, "manifest.json lacks or garbles"),
        ({"labels": ["SUPPORTED", "REFUTED", "MAYBE"]}, "lists the labels"),
        ({"labels": None}, "manifest.json lacks or garbles"),
        ({"files": {}}, "garbles 'tokenizer.json'"),
    ],
)
def test_an_impossible_manifest_says_what_is_wrong(make_files: Maker, changes: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_bundle(make_files(**changes))


@pytest.mark.parametrize("key", ["name", "version", "format", "labels", "files"])
def test_what_a_manifest_lacks_is_named(make_files: Maker, key: str) -> None:
    path = make_files() / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest[key]
    path.write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match=f"garbles '{key}'"):
        read_bundle(path.parent)


def test_a_failed_read_is_tried_again_once_the_file_is_whole(make_files: Maker) -> None:
    folder = make_files()
    whole = (folder / "body.onnx").read_bytes()
    flip_a_byte(folder / "body.onnx")
    with pytest.raises(ModelError):
        read_bundle(folder)
    (folder / "body.onnx").write_bytes(whole)
    assert read_bundle(folder).name == "tiny"


def test_a_folder_is_its_own_bundle_and_shipped_names_come_first(tmp_path: Path, monkeypatch) -> None:
    shipped = tmp_path / "weights"
    (shipped / "small").mkdir(parents=True)
    monkeypatch.setattr("assay.encoder.bundle.WEIGHTS", shipped)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small").mkdir()
    (tmp_path / "mine").mkdir()
    assert find_bundle("small") == shipped / "small"
    assert find_bundle("mine") == Path("mine")
    assert find_bundle(tmp_path / "mine") == tmp_path / "mine"


def test_weights_that_are_not_installed_are_no_mistake_of_the_user(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("assay.encoder.bundle.WEIGHTS", tmp_path / "nowhere")
    with pytest.raises(ModelError, match=r"the weights of 'base' are not installed: pip install 'assay-check\[base\]'"):
        find_bundle("base")


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"no verifier model 'huge': give the name of a shipped one \(.*small"):
        Verifier.load("huge")
