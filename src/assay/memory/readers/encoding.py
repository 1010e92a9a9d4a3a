"""Decode bytes by byte-order mark, by declaration, as UTF-8 or by guess, and warn of what is guessed or damaged."""

from __future__ import annotations

import codecs
import re

from assay.errors import SourceError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""(?:<meta[^>]{0,200}?charset\s*=\s*["']?|<\?xml[^>]{0,200}?encoding\s*=\s*["'])([\w-]{2,30})""", re.I
)
# Codecs of Python that a file may name but that no file is written in: they run escapes, or reject everything.
_NO_CHARSETS = frozenset(
    "undefined idna punycode unicode_escape raw_unicode_escape string_escape utf_7 utf7 mbcs".split()
)
_CONTROLS = bytes(set(range(32)) - {7, 8, 9, 10, 12, 13, 27})  # bell, backspace and escape stand in real logs
_HEAD = 8192
_GUESS_SAMPLE = 200_000
_BINARY_SHARE = 0.02  # more control bytes than this in the head, and it is not text


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text with `\\n` line ends, and warnings about what was guessed or damaged; SourceError for binary data."""
    text, warnings = _decode(data)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    damaged = text.count("\ufffd")
    if damaged:
        warnings = (*warnings, f"{damaged} damaged characters (U+FFFD); check the file's encoding")
    return text, warnings


def looks_binary(head: bytes) -> bool:
    """Whether these first bytes belong to no text in any common encoding."""
    if not head or any(head.startswith(mark) for mark, _ in _BOMS) or _wide(head):
        return False
    if b"\0" in head:
        return True
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls > _BINARY_SHARE * len(head)


def _decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace"), ()
    head = data[:_HEAD]
    if looks_binary(head):
        raise SourceError("not text: it looks like binary data")
    if wide := _wide(head):
        return data.decode(wide, "replace"), ()
    declared = _DECLARED.search(head)
    for name in ("utf-8", declared.group(1).decode("ascii") if declared else ""):
        try:
            if name.lower().replace("-", "_") not in _NO_CHARSETS:
                return data.decode(name), ()
        except (ValueError, LookupError):  # 'undefined' and 'idna' raise more than UnicodeDecodeError
            continue
    return _guess(data)


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: in western text every other byte is zero."""
    even, odd = head[0::2], head[1::2]
    if len(head) < 8:
        return None
    if odd.count(0) > 0.4 * len(odd) and even.count(0) < 0.05 * len(even):
        name = "utf-16-le"
    elif even.count(0) > 0.4 * len(even) and odd.count(0) < 0.05 * len(odd):
        name = "utf-16-be"
    else:
        return None
    text = head[: len(head) & ~1].decode(name, "replace")
    controls = sum(char < " " and char not in "\t\n\f\r" for char in text)
    return name if controls <= _BINARY_SHARE * len(text) else None


def _guess(data: bytes) -> tuple[str, tuple[str, ...]]:
    if _mostly_utf8(data):
        return data.decode("utf-8", "replace"), ("not clean UTF-8; read as UTF-8 with the bad bytes replaced",)
    name = "cp1252"
    try:
        from charset_normalizer import from_bytes

        best = from_bytes(data[:_GUESS_SAMPLE]).best()
        name = best.encoding if best else name
    except ImportError:
        pass
    return data.decode(name, "replace"), (f"no encoding is declared and it is not UTF-8; read as {name}, a guess",)


def _mostly_utf8(data: bytes) -> bool:
    """A long UTF-8 file with a few broken bytes is damaged UTF-8, not another encoding."""
    sample = data[:_GUESS_SAMPLE]
    broken = sample.decode("utf-8", "replace").count("\ufffd")
    multibyte = sum(byte >= 0xC2 for byte in sample)
    return broken * 4 < multibyte
