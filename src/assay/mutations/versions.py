"""An earlier value given as the present one, where the document states both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from assay.mutations.clauses import read_clauses
from assay.mutations.source import GeneratedClaim, SourceStatement, SourceText, content_stems
from assay.text.amounts import Match, Quantity, QuantityKind, compare
from assay.text.quantities import find_quantities
from assay.types import Span

# The earlier value beside the present one: "(previously six)", "(2023: 4.1 m)", ", up from 30", "instead of 24".
_ASIDES = (
    re.compile(
        r" ?\((?:previously|formerly|earlier|before(?: that)?|until [^():]{1,24}|was|old|up from|down from|originally"
        r"|(?:[^():]{0,20} )?(?:19|20)\d\d)[:,]? (?P<old>[^():,]{1,40})\)",
        re.IGNORECASE,
    ),
    re.compile(
        r",? (?:up from|down from|instead of|rather than|compared with|after) (?P<old>[^,.;()]{1,24}?)"
        r"(?P<when> in (?:the )?[^,.;()]{0,24}\b(?:(?:19|20)\d\d|year|quarter)| a year earlier| the year before)?"
        r"(?=[,;.](?:\s|$))"
    ),
    re.compile(
        r"[,;] (?:and |but )?(?:before that|before then|until then|previously|earlier),?"
        r" (?:it|they) (?:was|were|had been) (?P<old>[^,.;()]{1,30})(?=[,;.](?:\s|$))"
    ),
)
_FROM_TO = re.compile(
    r"\b(?:raised|rose|rises|risen|lowered|fell|fallen|falls|cut|increased|reduced|changed|extended|shortened|moved"
    r"|goes up|went up|grew|dropped)(?: again| slightly| sharply)?"
    r" from (?P<old>[^,.;()]{1,30}?) to (?P<new>[^,.;()]{1,30}?)"
    r"(?=[,.;]| (?:in|on|as|with|per|a|from|by|for|after|between|since|when)\b)"
)
_DATED = re.compile(r"\b(?:1[89]|20)\d\d\b|\bversion \d|\bedition \d|\bv\d", re.IGNORECASE)
_BARE = re.compile(r"[$€£]?[−-]?[\d.,]*\d|[a-z]+")


def confuse_versions(source: SourceText) -> Iterator[GeneratedClaim]:
    """Every older value that can be given as the present one."""
    for statement in source.sentences:
        yield from _asides(statement)
        yield from _changes(statement)
    yield from _sections(source)


def _asides(statement: SourceStatement) -> Iterator[GeneratedClaim]:
    """ "joins of up to six tables" from "joins of up to twelve tables (previously six)"."""
    text = statement.text
    for match in (match for pattern in _ASIDES for match in pattern.finditer(text)):
        old = match["old"].strip()
        timeless = "when" in match.groupdict() and not match["when"]
        if timeless and match.group().lstrip(", ").startswith(("compared", "after")):
            continue  # "after 30 days" is no earlier value
        present = [one for one in find_quantities(text) if one.span.end <= match.start()]
        place = _place_for(old, present[-1], text) if present else None
        if place is not None:
            made = text[: place.start] + old + text[place.end : match.start()] + text[match.end() :]
            yield _version("earlier value for the present one", made, statement, place.of(text), old)


def _place_for(old: str, present: Quantity, text: str) -> Span | None:
    """Where the older value goes: the present value, or only its number where the older one has no unit."""
    found = find_quantities(old)
    if len(found) != 1 or found[0].low == present.low:
        return None
    if found[0].kind is QuantityKind.NUMBER and found[0].text == old:
        return _bare(text, present.span.start) if found[0].low * present.scale != present.low else None
    return present.span if (found[0].kind, found[0].unit) == (present.kind, present.unit) else None


def _changes(statement: SourceStatement) -> Iterator[GeneratedClaim]:
    """The two values of "was changed from 30 to 45 days" exchanged."""
    text = statement.text
    for match in _FROM_TO.finditer(text):
        found = [find_quantities(match[name]) for name in ("old", "new")]
        if any(len(values) != 1 for values in found) or found[0][0].low == found[1][0].low:
            continue
        old, new = (
            _bare(text, match.start(name) + values[0].span.start)
            for name, values in zip(("old", "new"), found, strict=True)
        )
        made = text[: old.start] + new.of(text) + text[old.end : new.start] + old.of(text) + text[new.end :]
        told = f"from {match['new']} to {match['old']}"
        yield _version("old and new value exchanged", made, statement, match.group(), told)


def _bare(text: str, start: int) -> Span:
    """The number that starts here, with the sign before it and without its unit."""
    digits = _BARE.match(text, start)
    return Span(start, digits.end() if digits else start)


def _sections(source: SourceText) -> Iterator[GeneratedClaim]:
    """A sentence of one edition under the heading of another, where that one gives a different value."""
    dated = [one for one in source.sentences if _DATED.search(one.heading)]
    for one, other in combinations(dated, 2):
        if one.heading == other.heading or not _same_subject(one.heading, other.heading):
            continue
        for told, here in ((one, other), (other, one)):
            if _values_differ(told.text, here.text):
                text, places = f"{here.heading}: {told.text}", (here.span, told.span)
                yield GeneratedClaim("version", "sentence of another edition", text, places, here.text, told.text)


def _same_subject(one: str, other: str) -> bool:
    """Whether two headings differ in little more than their year, date or version."""
    ours, theirs = content_stems(_undated(one)), content_stems(_undated(other))
    return bool(ours & theirs) and len(ours & theirs) >= 0.5 * max(len(ours), len(theirs))


def _undated(heading: str) -> str:
    return re.sub(r"\d+|\b(?:version|edition|valid|from|until|effective|force)\b", " ", heading)


def _values_differ(one: str, other: str) -> bool:
    """Whether two sentences say the same of the same subject, with another number."""
    ours, theirs = list(read_clauses(one)), list(read_clauses(other))
    if not ours or not theirs or ours[0].subject.lower() != theirs[0].subject.lower():
        return False
    first, second = find_quantities(ours[0].predicate), find_quantities(theirs[0].predicate)
    frames = [re.split(r"\d", clause.predicate)[0].strip().lower() for clause in (ours[0], theirs[0])]
    return bool(first and second) and frames[0] == frames[1] and compare(first[0], second[0]) is Match.DIFFERENT


def _version(change: str, text: str, statement: SourceStatement, old: str, new: str) -> GeneratedClaim:
    return GeneratedClaim("version", change, text, (statement.span,), old, new)
