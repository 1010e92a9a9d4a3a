"""Weights come from the source tree, else from an installed package, else a message says what installs them."""

import json
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from assay.encoder.bundle import find_bundle
from assay.errors import ModelError
from assay.memory import embed
from assay.weights import PACKAGES, find_weights, list_weights

ROOT = Path(__file__).parents[1]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty installation with a package of weights that holds links to those of the source tree."""
    package = tmp_path / "site" / "assay_check_small"
    (package / "encoder").mkdir(parents=True)
    (package / "memory").mkdir()
    (package / "__init__.py").touch()
    (package / "encoder" / "small").symlink_to(find_bundle("small"))
    (package / "memory" / "static").symlink_to(find_weights(embed.WEIGHTS, "static"))
    for name in ("assay_check_small", "assay_check_base"):  # as beside an unpacked source archive
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "assay_check_base", None)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr("assay.encoder.bundle.WEIGHTS", tmp_path / "encoder" / "weights")
    monkeypatch.setattr("assay.memory.embed.WEIGHTS", tmp_path / "memory" / "weights")
    yield package
    sys.modules.pop("assay_check_small", None)


def test_an_installed_package_is_found(installed: Path) -> None:
    assert find_bundle("small") == installed / "encoder" / "small"
    assert embed.load_embedder("static", 7).embed(["a mill"]).shape == (1, 256)


def test_what_is_not_installed_is_named_with_the_command(installed: Path) -> None:
    with pytest.raises(ModelError, match=r"'base' are not installed: pip install 'assay-check\[base\]'"):
        find_bundle("base")
    with pytest.raises(ModelError, match="'minilm-claims' are not installed: pip install assay-check-small"):
        embed.read_card("minilm-claims")


def test_the_source_tree_comes_first(installed: Path, tmp_path: Path) -> None:
    tree = tmp_path / "encoder" / "weights"
    (tree / "base").mkdir(parents=True)
    assert list_weights(tree) == {"small": installed / "encoder" / "small", "base": tree / "base"}
    (tree / "small").mkdir()
    assert find_weights(tree, "small") == tree / "small"
    assert list(list_weights(tree)) == ["small", "base"]


def test_without_base_small_judges_alone_and_says_what_to_install(installed: Path) -> None:
    from assay import Engine, Policy

    engine = Engine(Policy(unsure_low=0.0, unsure_high=1.0))  # every claim goes on to `base`
    report = engine.check("The mill opened in 1900.", ["The mill opened in 1905."])
    assert any("pip install 'assay-check[base]'" in flag.message for flag in report.risk_flags)
    assert report.claims[0].method == "encoder:small"


def test_the_packages_carry_what_the_code_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    hook = (ROOT / "packages" / "wheel_hook.py").read_text()
    asked = [
        *project["optional-dependencies"]["base"],
        next(w for w in hook.split('"') if w.startswith("assay-check-")),
    ]
    for requirement in map(Requirement, asked):
        size = requirement.name.removeprefix("assay-check-")
        version = json.loads((find_bundle(size) / "manifest.json").read_text())["version"]
        assert requirement.specifier.contains(version)
        carried = tomllib.loads((ROOT / "packages" / size / "pyproject.toml").read_text())
        targets = carried["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"].values()
        for name, (room, package, _) in PACKAGES.items():
            if package.endswith(size):
                assert f"{package}/{room}/{name}" in targets


def test_every_extra_that_a_message_names_exists() -> None:
    import ast

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {
        node.args[1].value
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "missing_extra"
        if isinstance(node.args[1], ast.Constant)
    }
    from assay.llm import anthropic, openai  # noqa: F401
    from assay.llm.hosted import Hosted

    named |= {kind.provider for kind in Hosted.__subclasses__()}
    assert {"openai", "documents"} <= named <= set(extras)


def test_the_doctor_knows_every_extra_and_what_it_needs() -> None:
    import re

    from assay.cli.doctor import EXTRAS

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for_makers = {"dev", "docs", "bench"}
    several = {"all", "llm"}  # of the others; and the weights of `base` are told with the weights
    assert EXTRAS.keys() == extras.keys() - for_makers - several - {"base"}
    for name, (_, needed) in EXTRAS.items():
        assert needed.split() == [re.split(r"[\[<>=]", package)[0] for package in extras[name]]


def test_no_document_names_the_distribution_of_somebody_else() -> None:
    import re

    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "action.yml", *(ROOT / "src").rglob("*.py")]
    wrong = re.compile(r"pip install [^\n]*?['\" ]assay(?:\[|['\"\s]|$)")
    assert [str(page) for page in pages if wrong.search(page.read_text(encoding="utf-8"))] == []
