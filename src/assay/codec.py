"""Values as JSON and back, and the JSON Schema of that, all from the type annotations of the values themselves.

A field that takes no part in comparing two values (`compare=False`) is no part of their JSON. Properties may be added
as `derived`: they are written and described, and left out when the value is read again. A class whose JSON is not that
of its fields has `to_dict`, `from_dict` and `schema` of its own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from assay.errors import UsageError

Json = dict[str, Any]
Value = TypeVar("Value")
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def encode(value: Any) -> Any:
    """The value as JSON carries it; what JSON does not know becomes text.

    >>> from assay.types import Span
    >>> encode((Span(0, 4), None))
    [{'start': 0, 'end': 4}, None]
    """
    if hasattr(value, "to_dict"):
        return encode(value.to_dict())
    if is_dataclass(value) and not isinstance(value, type):
        return encode_fields(value)
    if isinstance(value, Enum):
        return encode(value.value)
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [encode(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def encode_fields(value: Any, *derived: str, without: Collection[str] = ()) -> Json:
    """The fields of a dataclass but for those left out, and these properties of it."""
    kind: Any = type(value)
    return {name: encode(getattr(value, name)) for name in (*_names(kind), *derived) if name not in without}


def decode(kind: type[Value], data: Any, where: str = "") -> Value:
    """The value of a type that `encode` made this JSON from; UsageError says which part of it does not fit.

    >>> from assay.types import Span
    >>> decode(Span, {"start": 0, "end": 4})
    Span(start=0, end=4)
    >>> decode(Span, {"start": 0, "end": "4"})
    Traceback (most recent call last):
    assay.errors.UsageError: Span.end: '4' is not an integer
    """
    found: Value = _decode(kind, data, where or kind.__name__)
    return found


def schema_of(kind: Any) -> Json:
    """The JSON Schema of what `encode` makes of a value of this type."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        shapes = [schema_of(one) for one in args]
        if all(set(shape) == {"type"} for shape in shapes):
            return {"type": [shape["type"] for shape in shapes]}
        return {"anyOf": shapes}
    if origin is tuple or origin is list:
        return {"type": "array", "items": schema_of(args[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(args[1])}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [item.value for item in kind]}
    if isinstance(kind, type) and is_dataclass(kind):
        shape: Json = kind.schema() if hasattr(kind, "schema") else schema_of_fields(kind)
        return shape
    return {"type": _PLAIN[kind]} if kind in _PLAIN else {}


def schema_of_fields(kind: Any, *derived: str) -> Json:
    """The schema of what `encode_fields` makes."""
    hints = {name: hint for name, (_, hint) in _fields(kind).items()}
    hints |= {name: get_type_hints(getattr(kind, name).fget)["return"] for name in derived}
    return shape_of({name: schema_of(hint) for name, hint in hints.items()})


def shape_of(properties: Json) -> Json:
    """The schema of an object with these properties, all of them always there."""
    return {"type": "object", "properties": properties, "required": list(properties)}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(spec.name for spec in fields(kind) if spec.compare)


@cache
def _fields(kind: Any) -> dict[str, tuple[Field[Any], Any]]:
    hints = get_type_hints(kind)
    return {spec.name: (spec, hints[spec.name]) for spec in fields(kind) if spec.compare}


def _decode(kind: Any, data: Any, where: str) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        if data is None and NoneType in args:
            return None
        kind = next(one for one in args if one is not NoneType)
        return _decode(kind, data, where)
    if origin is tuple:
        items = _expect(data, list, "list", where)
        return tuple(_decode(args[0], item, f"{where}[{number}]") for number, item in enumerate(items))
    if origin in (dict, Mapping):
        table = _expect(data, dict, "object", where)
        return {key: _decode(args[1], item, f"{where}.{key}") for key, item in table.items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(data)
        except ValueError:
            raise UsageError(f"{where}: {data!r} is none of {', '.join(item.value for item in kind)}") from None
    if isinstance(kind, type) and is_dataclass(kind):
        if hasattr(kind, "from_dict"):
            return kind.from_dict(_expect(data, dict, "object", where))
        return decode_fields(kind, data, where)
    if kind is float and type(data) is int:
        return float(data)
    if kind is date:
        return date.fromisoformat(_expect(data, str, "date", where))
    if kind in _PLAIN and (type(data) is not kind):
        raise UsageError(f"{where}: {data!r} is not {'an' if kind is int else 'a'} {_PLAIN[kind]}")
    return data


def decode_fields(kind: type[Value], data: Any, where: str = "") -> Value:
    """A dataclass from its fields; what else the JSON holds is left alone."""
    where = where or kind.__name__
    described: Any = kind
    known = _fields(described)
    if isinstance(data, Sequence) and not isinstance(data, str):  # as records of format 1 have spans and marks
        data = dict(zip(known, data, strict=False))
    table, values = _expect(data, dict, "object", where), {}
    for name, (spec, hint) in known.items():
        if name in table:
            values[name] = _decode(hint, table[name], f"{where}.{name}")
        elif spec.default is MISSING and spec.default_factory is MISSING:
            raise UsageError(f"{where} has no {name!r}")
    try:
        return kind(**values)
    except ValueError as problem:
        raise UsageError(f"{where}: {problem}") from problem


def _expect(data: Any, kind: type, name: str, where: str) -> Any:
    if not isinstance(data, kind):
        raise UsageError(f"{where} is a {name}, not {data!r:.60}")
    return data
