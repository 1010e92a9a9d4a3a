"""Renderings of a report: the same findings for a person, a page, a pull request or a machine."""

from __future__ import annotations

from collections.abc import Callable

from assay.errors import UsageError
from assay.render.annotations import render_github, render_junit
from assay.render.escape import render_json
from assay.render.html import render_fragment, render_html
from assay.render.markdown import render_markdown
from assay.render.plain import render_plain
from assay.render.sarif import render_sarif
from assay.types import Report

__all__ = [
    "RENDERERS",
    "find_renderer",
    "render",
    "render_fragment",
    "render_github",
    "render_html",
    "render_json",
    "render_junit",
    "render_markdown",
    "render_plain",
    "render_rich",
    "render_sarif",
]

Renderer = Callable[[Report], str]


def render_rich(report: Report) -> str:
    """What a terminal shows, without its colours; a command line prints `terminal.render_terminal` instead."""
    from assay.render.terminal import render_rich as draw  # rich is loaded only when something is drawn with it

    return draw(report)


RENDERERS: dict[str, Renderer] = {
    "rich": render_rich,
    "text": render_plain,
    "json": render_json,
    "md": render_markdown,
    "html": render_html,
    "sarif": render_sarif,
    "github": render_github,
    "junit": render_junit,
}
_NAMING_THE_ANSWER = {"sarif": render_sarif, "github": render_github, "junit": render_junit}


def find_renderer(format: str) -> Renderer:
    """The function for a format, or an error that names the formats there are."""
    try:
        return RENDERERS[format]
    except KeyError:
        raise UsageError(f"there is no format {format!r}; choose one of {', '.join(RENDERERS)}") from None


def render(report: Report, format: str = "text", *, answer_uri: str | None = None) -> str:
    """The report in a format of `RENDERERS`; `answer_uri` is the answer's file, for formats that point into it."""
    if answer_uri is not None and format in _NAMING_THE_ANSWER:
        return _NAMING_THE_ANSWER[format](report, answer_uri=answer_uri)
    return find_renderer(format)(report)
