"""Verbs whose two sides are not alike, found in a sentence with the noun phrases on either side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.claims.grammar import words_of
from assay.claims.verbs import ADVERBS, AUXILIARIES, BINDERS, PREPOSITIONS, SUBJECT_PRONOUNS
from assay.mutations.clauses import noun_phrase
from assay.text.words import words
from assay.types import Span

# Present, past and participle where they are irregular; the others are formed.
_REGULAR = """acquire replace succeed precede follow own manage supervise supply hire appoint inform notify invoice
    direct produce defeat conquer invade attack name discover invent design create compose commission join support
    employ fund finance sponsor represent advise train assist refer review approve audit found kill
    influence cause outrank absorb exceed surpass outlive publish translate develop operate lease rent sue
    overrule elect nominate promote dismiss recruit instruct examine treat protect govern control contain"""
_IRREGULAR = """buy:buys:bought:bought sell:sells:sold:sold lead:leads:led:led beat:beats:beat:beaten
    write:writes:wrote:written teach:teaches:taught:taught pay:pays:paid:paid build:builds:built:built
    overtake:overtakes:overtook:overtaken make:makes:made:made choose:chooses:chose:chosen
    tell:tells:told:told send:sends:sent:sent""".split()


@dataclass(frozen=True, slots=True)
class Verb:
    """The forms of a verb."""

    base: str
    present: str
    past: str
    participle: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A one-way relation in a sentence: who stands left, who stands right, the words between, and how it is said."""

    left: Span
    right: Span
    form: str
    verb: Verb | None = None
    helper: str = ""


def _regular(base: str) -> Verb:
    """The forms of a regular verb.

    >>> _regular("notify")
    Verb(base='notify', present='notifies', past='notified', participle='notified')
    """
    if re.search(r"[^aeiou]y$", base):
        root, present = f"{base[:-1]}i", f"{base[:-1]}ies"
    else:
        root = base.removesuffix("e") + ("l" if base == "control" else "")
        present = f"{base}es" if base.endswith(("s", "sh", "ch", "x")) else f"{base}s"
    return Verb(base, present, f"{root}ed", f"{root}ed")


VERBS = (
    *(_regular(base) for base in _REGULAR.split()),
    *(Verb(*forms.split(":")) for forms in _IRREGULAR),
)
_BY_FORM = {form: verb for verb in VERBS for form in (verb.base, verb.present, verb.past)}
_BY_PARTICIPLE = {verb.participle: verb for verb in VERBS}
_COMPARED = (
    r"(?:more|less) [a-z]+ than|(?:[a-z]{2,}er|better|worse) than|(?:(?:north|south|east|west)(?:-?(?:east|west))?) of"
)
_STATED = (
    r"(?:an? |the )?(?:subsidiary|part|branch|division|successor|predecessor|parent(?: company)?|supplier|customer"
    r"|member|tenant|owner|capital|son|daughter|father|mother|author|founder) (?:of|to)"
)
_RELATIONAL = re.compile(
    rf" (?P<words>(?:is|are|was|were) (?:{_COMPARED}|{_STATED})|reports? to|reported to|belongs? to|belonged to"
    r"|takes? over from|took over from|depends? on|depended on|(?:is|are|was|were) subordinate to) "
)
_PASSIVE = re.compile(
    rf" (?P<helper>is|are|was|were|has been|have been|will be|must be|may be|can be)"
    rf" (?P<participle>{'|'.join(sorted(_BY_PARTICIPLE, key=len, reverse=True))}) by "
)
_ACTIVE = re.compile(
    rf" (?:(?P<helper>must|may|will|can|shall|should|has|have) )?"
    rf"(?P<form>{'|'.join(sorted(_BY_FORM | _BY_PARTICIPLE, key=len, reverse=True))}) "
)
_LONGEST_LEFT = 6
_NOT_IN_SUBJECT = (PREPOSITIONS - {"of"}) | BINDERS | AUXILIARIES | ADVERBS | words("and or but not there")
_PHRASE = re.compile(r"[A-Z]|(?:the|an?|its|his|her|their|our|your|each|every) ")


def find_relations(text: str) -> Iterator[Relation]:
    """The relations of a sentence whose two sides are noun phrases and not alike.

    >>> text = "Pellar replaces Nordlys as supplier."
    >>> [(one.left.of(text), one.form, one.right.of(text)) for one in find_relations(text)]
    [('Pellar', 'active', 'Nordlys')]
    """
    for form, pattern in (("relational", _RELATIONAL), ("passive", _PASSIVE), ("active", _ACTIVE)):
        for match in pattern.finditer(text):
            left, right = _left(text, match.start()), noun_phrase(text, match.end())
            if left is None or right is None or _goes_on(text, right.end):
                continue
            if left.of(text).lower() == right.of(text).lower() or not _PHRASE.match(right.of(text)):
                continue
            named = match.groupdict()
            verb = _BY_PARTICIPLE[match["participle"]] if form == "passive" else _verb(named)
            if form == "active" and verb is None:
                continue
            yield Relation(left, right, form, verb, named.get("helper") or "")


def _verb(named: dict[str, str]) -> Verb | None:
    """The verb of an active form, with a participle only behind "has"."""
    form, helper = named.get("form") or "", named.get("helper") or ""
    verb = _BY_PARTICIPLE.get(form) if helper in ("has", "have") else _BY_FORM.get(form)
    if verb is None or (form == verb.base) != (helper not in ("", "has", "have")):
        return None  # a bare "lease", "name" or "pay" is a noun as often
    return verb


def _left(text: str, end: int) -> Span | None:
    """The noun phrase that ends here and opens its clause."""
    opened = max(text.rfind(mark, 0, end) for mark in (". ", "; ", ": ", ", "))
    start = opened + 2 if opened >= 0 else 0
    if opened >= 0 and text[opened] == "," and text.split(" ", 1)[0].lower() not in PREPOSITIONS:
        return None  # "Ingrid Moe, a fitter, built" has its subject before the comma
    found = words_of(text, start, end)
    if not found or found[0].start != start or len(found) > _LONGEST_LEFT:
        return None
    if found[0].lower in SUBJECT_PRONOUNS or re.search(r"[()\"“”–—]", text[start:end]):
        return None
    return None if any(word.lower in _NOT_IN_SUBJECT for word in found) else Span(start, found[-1].end)


def _goes_on(text: str, end: int) -> bool:
    """Whether the phrase is one of a list, or only the beginning of a longer one."""
    initial = re.search(r"\b[A-Z]$", text[:end]) is not None and text.startswith(".", end)
    return initial or re.match(r"(?:,? (?:and|or)\b|, [A-Z]|['’])", text[end:]) is not None
