"""Where the weights lie: in the source tree of a checkout, else in the installed `assay-check-small` and `-base`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_SMALL = ("assay_check_small", "pip install assay-check-small")
# The room each model serves, the package that carries it, and what installs that.
PACKAGES = {
    "small": ("encoder", *_SMALL),
    "base": ("encoder", "assay_check_base", "pip install 'assay-check[base]'"),
    "minilm-claims": ("memory", *_SMALL),
    "static": ("memory", *_SMALL),
}


def find_weights(tree: Path, name: str) -> Path | None:
    """The folder of a model: `tree/name` in a checkout, else in its package, under the name of the room it serves."""
    if (tree / name).is_dir():
        return tree / name
    if name not in PACKAGES:
        return None
    room, package, _ = PACKAGES[name]
    spec = find_spec(package)
    places = (Path(place) / room / name for place in (spec and spec.submodule_search_locations) or ())
    return next((place for place in places if place.is_dir()), None)


def list_weights(tree: Path) -> dict[str, Path]:
    """The models of a room that are at hand, by name."""
    shipped = [name for name, (room, _, _) in PACKAGES.items() if room == tree.parent.name]
    names = [*shipped, *(folder.name for folder in sorted(tree.glob("*")) if folder.is_dir())]
    return {name: folder for name in dict.fromkeys(names) if (folder := find_weights(tree, name)) is not None}


def describe_missing(name: str) -> str:
    """What to tell someone whose installation lacks a model.

    >>> describe_missing("base")
    "the weights of 'base' are not installed: pip install 'assay-check[base]'"
    """
    return f"the weights of {name!r} are not installed: {PACKAGES[name][2]}"
