"""What the commands read: an answer from a file, standard input or the argument itself."""

from __future__ import annotations

import sys
from pathlib import Path

from assay.errors import AnswerError

TEXT_ENDINGS = {".md", ".markdown", ".txt", ".text", ".rst", ".html", ".json"}


def read_answer(given: str) -> tuple[str, str]:
    """The answer's text and its name: `-` is standard input, a path is read, anything else is the answer itself."""
    if given == "-":
        return _decode(sys.stdin.buffer.read(), "standard input"), "stdin"
    path = Path(given)
    try:
        if path.is_dir():
            raise AnswerError(f"{given} is a folder; give one answer file, '-' for standard input, or the text itself")
        if path.is_file():
            return _decode(path.read_bytes(), given), given
    except OSError as problem:
        if not _looks_like_text(given):
            raise AnswerError(f"cannot read the answer {given}: {problem.strerror or problem}") from problem
    except ValueError:  # a NUL in the argument: not a path
        return given, "argument"
    if not _looks_like_text(given):
        raise AnswerError(f"there is no answer file {given}")
    return given, "argument"


def _looks_like_text(given: str) -> bool:
    """A sentence has spaces; `answers/one.md` that does not exist is a mistake, not an answer."""
    return " " in given.strip() or "\n" in given or (Path(given).suffix not in TEXT_ENDINGS and "/" not in given)


def _decode(raw: bytes, name: str) -> str:
    if b"\0" in raw[:4096] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise AnswerError(f"{name} is binary, not text")
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as problem:
        raise AnswerError(
            f"{name} is not valid {encoding.upper().removesuffix('-SIG')} (byte {problem.start}); convert it first"
        ) from problem
    if not text.strip():
        raise AnswerError(f"{name} is empty; there is no answer to check")
    return text
