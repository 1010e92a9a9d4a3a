"""Renderings of a report: the same findings for a person, a page, a pull request or a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.types import Report

if TYPE_CHECKING:
    from assay.render.rows import CheckedRow

__all__ = ["POINTING", "RENDERERS", "find_renderer", "render", "render_rows"]

Renderer = Callable[..., str]


def _draw(module: str, function: str, shown: Report | Iterable[CheckedRow], **options: str) -> str:
    """A renderer's text; its module is loaded when it is first used, as a command writes one form."""
    made: str = getattr(import_module(f"assay.render.{module}"), function)(shown, **options)
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
# Formats that point into the file of the answer; they can show many answers of one file as well.
POINTING: dict[str, Renderer] = {
    "sarif": partial(_draw, "sarif", "render_sarif_rows"),
    "github": partial(_draw, "annotations", "render_github_rows"),
    "junit": partial(_draw, "annotations", "render_junit_rows"),
}


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
    return POINTING[format](rows, answer_uri=answer_uri)
