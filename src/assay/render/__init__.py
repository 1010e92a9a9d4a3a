"""Renderings of a report: the same findings for a person, a page, a pull request or a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.types import Report

if TYPE_CHECKING:
    from assay.render.annotations import render_github as render_github
    from assay.render.annotations import render_github_rows as render_github_rows
    from assay.render.annotations import render_junit as render_junit
    from assay.render.annotations import render_junit_rows as render_junit_rows
    from assay.render.escape import render_json as render_json
    from assay.render.html import render_fragment as render_fragment
    from assay.render.html import render_html as render_html
    from assay.render.markdown import render_markdown as render_markdown
    from assay.render.plain import render_plain as render_plain
    from assay.render.rows import CheckedRow
    from assay.render.sarif import render_sarif as render_sarif
    from assay.render.sarif import render_sarif_rows as render_sarif_rows
    from assay.render.terminal import render_rich as render_rich

# Each renderer and its module, which is loaded when the renderer is first used: a command writes one form.
_HOMES = {
    "render_rich": "terminal",
    "render_plain": "plain",
    "render_json": "escape",
    "render_markdown": "markdown",
    "render_html": "html",
    "render_fragment": "html",
    "render_sarif": "sarif",
    "render_github": "annotations",
    "render_junit": "annotations",
    "render_sarif_rows": "sarif",
    "render_github_rows": "annotations",
    "render_junit_rows": "annotations",
}

__all__ = [
    "POINTING",
    "RENDERERS",
    "find_renderer",
    "render",
    "render_fragment",
    "render_github",
    "render_github_rows",
    "render_html",
    "render_json",
    "render_junit",
    "render_junit_rows",
    "render_markdown",
    "render_plain",
    "render_rich",
    "render_rows",
    "render_sarif",
    "render_sarif_rows",
]

Renderer = Callable[..., str]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"assay.render.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'assay.render' has no attribute {name!r}")


def _by_name(name: str) -> Renderer:
    """A renderer that is loaded when it is called."""

    def draw(report: Report, **options: str) -> str:
        made: str = __getattr__(name)(report, **options)
        return made

    return draw


RENDERERS: dict[str, Renderer] = {
    "rich": _by_name("render_rich"),
    "text": _by_name("render_plain"),
    "json": _by_name("render_json"),
    "md": _by_name("render_markdown"),
    "html": _by_name("render_html"),
    "sarif": _by_name("render_sarif"),
    "github": _by_name("render_github"),
    "junit": _by_name("render_junit"),
}
# Formats that point into the file of the answer; they can show many answers of one file as well.
POINTING = ("sarif", "github", "junit")


def find_renderer(format: str) -> Renderer:
    """The function for a format, or an error that names the formats there are."""
    try:
        return RENDERERS[format]
    except KeyError:
        raise UsageError(f"there is no format {format!r}; choose one of {', '.join(RENDERERS)}") from None


def render(report: Report, format: str = "text", *, answer_uri: str | None = None) -> str:
    """The report in a format of `RENDERERS`; `answer_uri` is the answer's file, for formats that point into it."""
    named = {"answer_uri": answer_uri} if answer_uri is not None and format in POINTING else {}
    return find_renderer(format)(report, **named)


def render_rows(rows: Iterable[CheckedRow], format: str, *, answer_uri: str) -> str:
    """Many answers in a format of `POINTING`; `answer_uri` is the file with their rows."""
    if format not in POINTING:
        raise UsageError(f"many answers cannot be written as {format!r}; choose one of {', '.join(POINTING)}")
    made: str = __getattr__(f"render_{format}_rows")(rows, answer_uri=answer_uri)
    return made
