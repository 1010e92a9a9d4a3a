"""Renderings of a report: the same findings for a person, a page, a pull request or a machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from assay.errors import UsageError
from assay.types import Report

__all__ = ["RENDERERS", "find_renderer", "render"]

Renderer = Callable[..., str]


def _draw(module: str, function: str, report: Report, **options: str) -> str:
    """A renderer's text; its module is loaded when it is first used, as a command writes one form."""
    made: str = getattr(import_module(f"assay.render.{module}"), function)(report, **options)
    return made


RENDERERS: dict[str, Renderer] = {
    "rich": partial(_draw, "terminal", "render_rich"),
    "text": partial(_draw, "plain", "render_plain"),
    "json": partial(_draw, "escape", "render_json"),
    "md": partial(_draw, "markdown", "render_markdown"),
    "html": partial(_draw, "html", "render_html"),
    "sarif": partial(_draw, "sarif", "render_sarif"),
    "github": partial(_draw, "annotations", "render_github"),
    "junit": partial(_draw, "annotations", "render_junit"),
}
_NAMING_THE_ANSWER = frozenset(("sarif", "github", "junit"))


def find_renderer(format: str) -> Renderer:
    """The function for a format, or an error that names the formats there are."""
    try:
        return RENDERERS[format]
    except KeyError:
        raise UsageError(f"there is no format {format!r}; choose one of {', '.join(RENDERERS)}") from None


def render(report: Report, format: str = "text", *, answer_uri: str | None = None) -> str:
    """The report in a format of `RENDERERS`; `answer_uri` is the answer's file, for formats that point into it."""
    named = {"answer_uri": answer_uri} if answer_uri is not None and format in _NAMING_THE_ANSWER else {}
    return find_renderer(format)(report, **named)
