"""Doctests are collected from every module of the package but the adapters whose framework is not installed here.

Any other module that cannot be imported is an error, which `--doctest-ignore-import-errors` would hide.
"""

from importlib import import_module
from pathlib import Path

ADAPTERS = Path(__file__).parent / "src" / "assay" / "integrations"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """True for an adapter that says that its framework is missing; its own tests say that they are skipped."""
    if collection_path.parent != ADAPTERS or collection_path.suffix != ".py" or collection_path.stem == "__init__":
        return None
    from assay.integrations.adapter import MissingFrameworkError

    try:
        import_module(f"assay.integrations.{collection_path.stem}")
    except MissingFrameworkError:
        return True
    except ImportError:
        return None  # what is wrong with it is told where it is collected
    return None
