"""Markdown: the source text as its author wrote it, with the headings marked; front matter becomes metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.memory.readers.dates import infer_date, parse_date
from assay.memory.readers.encoding import decode
from assay.memory.readers.parsed import Outline, ParsedDocument, Refusal
from assay.types import Mark

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]++(.*)$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
MAX_FRONT_MATTER = 20_000
"""Characters of metadata at the top of a file; a longer block is text."""


def read_markdown(path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]:
    text, warnings = decode(data)
    meta, text, problems = _split_front_matter(text)
    headings = tuple(mark_headings(text))
    stated = parse_date(meta.get("date") or meta.get("updated") or meta.get("published"))
    found = stated or infer_date(text)
    title = meta.get("title")
    if not isinstance(title, str | int | float) or not title:
        title = headings[0].label if headings else path.stem
    yield ParsedDocument(
        text,
        title=str(title),
        markup="markdown",
        date=found,
        date_inferred=found is not None and stated is None,
        role=role if isinstance(role := meta.get("role"), str) and role else "unclassified",
        headings=headings,
        warnings=(*warnings, *problems),
    )


def mark_headings(text: str) -> Iterator[Mark]:
    """A mark for each heading outside code blocks, at the offset where its line begins."""
    outline, fence = Outline(), ""
    start, previous, previous_start = 0, "", 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        if fence:
            closing = _FENCE.match(body)
            if closing and closing[1].startswith(fence):
                fence = ""
            body = ""
        elif opening := _FENCE.match(body):
            fence, body = opening[1], ""
        elif heading := _ATX.match(body):
            title = _clean(heading[2])
            if title:
                yield Mark(start, outline.enter(len(heading[1]), title))
            body = ""
        elif (
            (under := _UNDERLINE.match(body)) and previous.strip() and not previous.lstrip().startswith(("-", "|", ">"))
        ):
            yield Mark(previous_start, outline.enter(1 if under[1][0] == "=" else 2, _clean(previous)))
            body = ""
        previous, previous_start = body, start
        start += len(line)


def _clean(title: str) -> str:
    return title.strip().rstrip("#").strip().strip("*_`").strip()


def _split_front_matter(text: str) -> tuple[Mapping[str, Any], str, tuple[str, ...]]:
    """The metadata at the top, the text behind it, and why it could not be read; then it stays in the text."""
    if not text.startswith("---\n"):
        return {}, text, ()
    end = text.find("\n---\n", 3, MAX_FRONT_MATTER)
    if end < 0:
        return {}, text, ()
    import yaml

    class Loader(yaml.SafeLoader):
        """YAML without aliases: a few hundred bytes of them stand for gigabytes."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not allowed")
            return super().compose_node(parent, index)

    try:
        meta = yaml.load(text[4:end], Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        reason = str(problem).split("\n")[0] or type(problem).__name__
        return {}, text, (f"its front matter is not readable YAML ({reason[:200]}) and was kept as text",)
    return (meta, text[end + 5 :], ()) if isinstance(meta, dict) else ({}, text, ())
