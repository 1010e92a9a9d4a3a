"""The generated part of the TypeScript client: `python clients/generate.py` writes it from the OpenAPI document.

With `--check` nothing is written, and the exit code is 1 if the file is out of date.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PLACE = Path(__file__).parent / "typescript" / "src" / "generated.ts"
HEAD = """// Written by clients/generate.py from the OpenAPI document: do not edit.
/* eslint-disable */

import { Transport, type CallOptions } from "./transport.js";
import type { StreamEvent } from "./stream.js";
"""
_PLAIN = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}
_NAME = re.compile(r"[A-Za-z_$][\w$]*")

Schema = Mapping[str, Any]


def read_document() -> dict[str, Any]:
    """The OpenAPI document of the server as it is."""
    from assay.server.app import make_app
    from assay.server.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        return make_app(Settings(data=folder, judge="lexical", warm=False)).openapi()


def write_client(document: Schema) -> str:
    """The types of all named schemas, and a class with a method for each operation."""
    parts = [HEAD]
    for name, schema in document["components"]["schemas"].items():
        doc = _comment(schema.get("description"), "")
        parts.append(f"{doc}export type {name} = {type_of(schema)};\n")
    parts.append("/** Every operation of the server. */\nexport class Operations extends Transport {")
    parts += [
        _method(method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return "\n".join([*parts, "}", ""])


def type_of(schema: Schema, indent: str = "") -> str:
    """The TypeScript type of the values a JSON schema allows.

    >>> type_of({"type": ["string", "null"]})
    'string | null'
    >>> type_of({"type": "array", "items": {"enum": ["a", "b"]}})
    '("a" | "b")[]'
    """
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(item) for item in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return _union(type_of(one, indent) for one in schema[several])
    if "allOf" in schema:
        return " & ".join(_grouped(type_of(one, indent)) for one in schema["allOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _union(type_of({**schema, "type": one}, indent) for one in kind)
    if kind == "array":
        return f"{_grouped(type_of(schema.get('items', {}), indent))}[]"
    if kind == "string" and schema.get("format") == "binary":
        return "Blob"
    if kind in _PLAIN:
        return _PLAIN[kind]
    return _object(schema, indent) if kind == "object" or "properties" in schema else "unknown"


def _object(schema: Schema, indent: str) -> str:
    properties: Schema = schema.get("properties", {})
    more = schema.get("additionalProperties")
    values = type_of(more, indent) if isinstance(more, Mapping) and more else "unknown"
    if not properties:
        return f"Record<string, {values}>"
    inner = indent + "  "
    lines = []
    for name, one in properties.items():
        optional = "" if name in schema.get("required", ()) else "?"
        lines.append(f"{_comment(one.get('description'), inner)}{inner}{_key(name)}{optional}: {type_of(one, inner)};")
    return "\n".join(["{", *lines, f"{indent}}}"])


def _union(kinds: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(kinds))


def _grouped(kind: str) -> str:
    """A type that a suffix may follow."""
    return f"({kind})" if re.search(r"^[^{]* [|&] ", kind) else kind


def _key(name: str) -> str:
    return name if _NAME.fullmatch(name) else json.dumps(name)


def _comment(text: str | None, indent: str) -> str:
    """A description as a comment above what it describes."""
    if not text:
        return ""
    lines = [line.strip().replace("*/", "* /") for line in text.strip().splitlines()]
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */", ""])


def _method(method: str, path: str, operation: Schema) -> str:
    """One operation: what stands in its path and its body are arguments, the rest are options."""
    parameters = operation.get("parameters", ())
    inside = [one["name"] for one in parameters if one["in"] == "path"]
    queries = [one for one in parameters if one["in"] == "query"]
    content = operation.get("requestBody", {}).get("content", {})
    media, answer = _answer(operation)
    arguments = [f"{_camel(name)}: string" for name in inside]
    sent = []
    if "application/json" in content:
        arguments.append(f"body: {type_of(content['application/json']['schema'])}")
        sent.append("body")
    elif "multipart/form-data" in content:
        arguments.append("files: FormData")
        sent.append("form: files")
    query = "".join(f" {_key(one['name'])}?: {type_of(one['schema'])};" for one in queries)
    arguments.append(f"options: CallOptions & {{{query} }} = {{}}" if query else "options: CallOptions = {}")
    if queries:
        sent.append("query: { " + ", ".join(f"{_key(one['name'])}: options.{one['name']}" for one in queries) + " }")
    place = re.sub(r"\{(\w+)\}", lambda found: f"${{encodeURIComponent({_camel(found[1])})}}", path)
    call = ", ".join([f'"{method.upper()}"', f"`{place}`", f"{{ {', '.join([*sent, 'options'])} }}"])
    name = _camel(operation["operationId"])
    signature = f"{_comment(operation['summary'] + '.', '  ')}  {name}({', '.join(arguments)})"
    if media == "text/event-stream":
        return f"{signature}: AsyncGenerator<StreamEvent, void> {{\n    return this.events({call});\n  }}\n"
    how = "json" if media == "application/json" else "text"
    return f"{signature}: Promise<{answer}> {{\n    return this.{how}({call});\n  }}\n"


def _answer(operation: Schema) -> tuple[str, str]:
    """The media type and the type of an operation's good answer; one that has several kinds of files is a text."""
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            content = answer.get("content", {})
            if list(content) == ["application/json"]:
                return "application/json", type_of(content["application/json"]["schema"])
            return ("text/event-stream" if "text/event-stream" in content else "text/plain"), "string"
    raise ValueError(f"{operation['operationId']} has no good answer")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


if __name__ == "__main__":
    text = write_client(read_document())
    if "--check" in sys.argv:
        sys.exit(0 if PLACE.read_text("utf-8") == text else f"{PLACE} is out of date: run python clients/generate.py")
    PLACE.write_text(text, "utf-8")
    print(f"wrote {PLACE}")
