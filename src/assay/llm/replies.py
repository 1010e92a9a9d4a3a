"""Reading what a language model replied: the JSON object in it, its numbers, and the words it quotes.

Models put words before the object, think aloud, or leave words out of a quote. That much is read; what is not there is
never made up: a reply without the object is an error for whoever asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from assay.errors import GeneratorError

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_ELLIPSIS = re.compile(r"\[\s{0,9}(?:…|\.\.\.)\s{0,9}\]|…|\.{3,}")
_QUOTES = "\"'“”‘’«»` \t\r\n"
LONGEST_GAP = 400  # characters that an ellipsis may stand for; more would be a quote of two places


def read_object(text: str, fields: Collection[str] = ()) -> dict[str, Any]:
    """The object of a reply, whatever stands around it: the last one, or the last with one of the `fields`.

    >>> read_object('<think>Is {it} so?</think> Here it is: {"verdict": "supported"} I hope this helps.')
    {'verdict': 'supported'}
    """
    said = _THOUGHT.sub("", text)
    decoder = json.JSONDecoder()
    found: list[Any] = []
    at = said.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(said, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(value)
        at = said.find("{", end)
    wanted = [value for value in found if not fields or any(name in value for name in fields)]
    if wanted:
        return dict(wanted[-1])  # what comes before may be thinking aloud
    problem = f"it has none of {', '.join(fields)}" if found else "it is not JSON"
    raise GeneratorError(f"the reply cannot be used: {problem}: {' '.join(text.split())[:80]!r}")


def read_share(value: Any) -> float | None:
    """A number from 0 to 1, also as text or in per cent; None for anything else.

    >>> read_share("0.9"), read_share("90 %"), read_share("high"), read_share(True)
    (0.9, 0.9, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        match = re.fullmatch(r"(\d{1,20}(?:\.\d{1,20})?|\.\d{1,20})\s{0,9}(%?)", value.strip())
        if match is None:
            return None
        value = float(match[1]) / (100 if match[2] else 1)
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def locate_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text: spaces and capitals aside, words left out where it has an ellipsis.

    >>> locate_quote("the mill … opened in 1900", "In short, the mill by the river opened in  1900.")
    (10, 47)
    """
    parts = [part.strip(_QUOTES).split() for part in _ELLIPSIS.split(quote)]
    patterns = [r"\s+".join(map(re.escape, words)) for words in parts if words]
    if not patterns:
        return None
    for capitals in (re.NOFLAG, re.IGNORECASE):
        for first in re.finditer(patterns[0], text, capitals):
            end: int | None = first.end()
            for pattern in patterns[1:]:
                assert end is not None
                match = re.compile(pattern, capitals).search(text, end, end + LONGEST_GAP)
                end = None if match is None else match.end()
                if end is None:
                    break
            if end is not None:
                return first.start(), end
    return None
