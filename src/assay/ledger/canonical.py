"""One way to write a value as bytes, so that the same value has the same hash everywhere."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

FLOAT_DIGITS = 9  # finer differences are noise of the last bit between processors, not a changed verdict


def canonical(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys, no spaces and rounded floats; values JSON cannot carry are refused.

    >>> canonical({"b": 1.0, "a": [True, None, "é"]})
    b'{"a":[true,null,"\\\\u00e9"],"b":1.0}'
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def digest(value: Any) -> str:
    """The sha256 of a value's canonical form."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"a record cannot hold {value}: it is not a number JSON knows")
        return round(value, FLOAT_DIGITS)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | int | bool):
        return value
    raise TypeError(f"a record cannot hold a {type(value).__name__}")
