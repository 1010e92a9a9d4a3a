"""No compiled pattern of the package takes more than linear time, whatever the text."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import assay
from assay.integrations.adapter import MissingFrameworkError
from tests.hostile import hostile_texts

LENGTH = 8_000
NOTICED = 0.006  # CPU seconds; a linear pattern takes a tenth of it
STEEPEST = 8.0  # four times the text may take this many times the work: 4 is linear, 16 is quadratic
SEARCHES = {"search", "finditer", "findall", "sub", "subn", "split"}
ANCHORED = {"match", "fullmatch"}


def modules() -> Iterator[str]:
    for module in pkgutil.walk_packages(assay.__path__, "assay."):
        if not module.name.endswith("__main__"):
            yield module.name


@cache
def sources() -> dict[str, ast.Module]:
    """The source of every module."""
    found = {}
    for name in modules():
        spec = importlib.util.find_spec(name)
        if spec and spec.origin:
            found[name] = ast.parse(Path(spec.origin).read_text("utf-8"))
    return found


@cache
def imported() -> dict[str, ModuleType]:
    """The modules that can be imported here; an adapter of a framework that is not installed cannot."""
    found = {}
    for name in modules():
        with suppress(ImportError, MissingFrameworkError):
            found[name] = importlib.import_module(name)
    return found


@cache
def compiled() -> dict[str, re.Pattern[Any]]:
    """Every pattern held by a module, a class or a collection of theirs, by name."""
    found: dict[re.Pattern[Any], str] = {}

    def visit(value: Any, name: str, depth: int) -> None:
        if isinstance(value, re.Pattern):
            found.setdefault(value, name)
        elif depth and isinstance(value, dict):
            visit(tuple(value.values()), name, depth)
        elif depth and isinstance(value, list | tuple | set | frozenset):
            for index, item in enumerate(value):
                visit(item, f"{name}[{index}]", depth - 1)

    for name, module in imported().items():
        for key, value in vars(module).items():
            if key.startswith("__"):
                continue
            visit(value, f"{name}.{key}", 3)
            if isinstance(value, type) and value.__module__ == name:
                for inner, held in vars(value).items():
                    visit(held, f"{name}.{key}.{inner}", 3)
    return {name: pattern for pattern, name in found.items()}


@cache
def uses() -> dict[tuple[str, str], set[str]]:
    """Which methods are taken of each name, by the module that takes them."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                held = node.value
                of = held.id if isinstance(held, ast.Name) else held.attr if isinstance(held, ast.Attribute) else ""
                found[name, of].add(node.attr)
    return found


def methods_of(name: str) -> set[str]:
    """The methods of `re.Pattern` that are called on a pattern; a private one is looked for in its own module."""
    module, _, own = name.rpartition(".")
    places = [(module, own)] if own.startswith("_") else [place for place in uses() if place[1] == own]
    found = {method for place in places for method in uses().get(place, ())} & (SEARCHES | ANCHORED)
    return found or SEARCHES


@cache
def written_inline() -> dict[str, tuple[re.Pattern[Any], set[str]]]:
    """The patterns given as a string to a function of `re` where they are used, by place.

    Those that are compiled are among them where their module cannot be imported.
    """
    found: dict[str, tuple[re.Pattern[Any], set[str]]] = {}
    for name, tree in sources().items():
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=str(text)), *_]
                ) if method in SEARCHES | ANCHORED:
                    found[f"{name}:{node.lineno}"] = (re.compile(text), {method})
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr="compile"),
                    args=[ast.Constant(value=str(text)), *_],
                ) if name not in imported():
                    found[f"{name}:{node.lineno}"] = (re.compile(text), SEARCHES)
    return found


def work(pattern: re.Pattern[Any], text: str, methods: set[str]) -> float:
    """CPU seconds of the least of three readings."""
    subject = text.encode() if isinstance(pattern.pattern, bytes) else text
    least = float("inf")
    for _ in range(3):
        start = time.thread_time()
        for method in methods & ANCHORED:
            getattr(pattern, method)(subject)
        if methods & SEARCHES:
            for _ in pattern.finditer(subject):
                pass
        least = min(least, time.thread_time() - start)
        if least < NOTICED:
            break
    return least


def check(pattern: re.Pattern[Any], methods: set[str]) -> None:
    shorter = hostile_texts(pattern, LENGTH // 4)
    for text, quarter in zip(hostile_texts(pattern, LENGTH), shorter, strict=False):
        spent = work(pattern, text, methods)
        if spent > NOTICED:
            assert spent < STEEPEST * work(pattern, quarter, methods), f"{text[:60]!r}… of {len(text)}"


@pytest.mark.parametrize("name", sorted(compiled()))
def test_four_times_the_text_is_about_four_times_the_work(name: str) -> None:
    check(compiled()[name], methods_of(name))


@pytest.mark.parametrize("place", sorted(written_inline()))
def test_patterns_written_where_they_are_used_are_linear_too(place: str) -> None:
    check(*written_inline()[place])


def test_a_quadratic_pattern_is_noticed() -> None:
    for slow in (r"\s*x", r"<(\w+)\b[^>]*>", r"is\s*[.!]?\s*\Z", r"\bclaim\b.*\bsupported\b"):
        with pytest.raises(AssertionError):
            check(re.compile(slow), {"search"})
