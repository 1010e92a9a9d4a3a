"""The report as JSON, for machines: the one shape of `Report.to_dict`, always valid and always encodable."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from assay.types import Report

# Legal in JSON but not to be trusted outside it: lone surrogates cannot be encoded, the rest act on a terminal.
_RISKY = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_TAGS = re.compile("[<>&]")


def render_json(report: Report) -> str:
    """The report as indented JSON."""
    return to_json(report.to_dict(), indent=2) + "\n"


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON that reads back to the same value; a number that JSON cannot carry becomes null."""
    return _RISKY.sub(_escape, json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False))


def to_script(value: Any) -> str:
    """JSON that may stand inside a `<script>` element: no tag, comment or entity can begin in it."""
    return _TAGS.sub(_escape, to_json(value))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
