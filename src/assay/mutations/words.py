"""Words changed so that a sentence turns false: another name, a negation put in or taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.claims.grammar import finite, words_of
from assay.mutations.edits import Mutation, MutationInput
from assay.text.tokens import is_stop_word
from assay.text.words import words

_NAME = re.compile(r"[A-Z][\w’'-]*\w(?:(?: (?:of|de|von|van|der|the)){0,2} [A-Z][\w’'-]*\w)*")
_PLACES = words("""
    Argentina Australia Austria Belgium Brazil Canada Chile China Denmark Egypt Finland France Germany Greece Hungary
    India Indonesia Iran Ireland Italy Japan Kenya Mexico Nepal Norway Pakistan Peru Poland Portugal Russia Spain Sweden
    Switzerland Thailand Turkey Ukraine Vietnam London Paris Berlin Madrid Rome Vienna Tokyo Moscow Cairo Sydney Toronto
""")
_PEOPLES = words("""
    American British English French German Italian Spanish Canadian Australian Indian Japanese Chinese Russian Irish
    Scottish Dutch Swedish Norwegian Danish Polish Mexican Brazilian Korean Turkish Greek Austrian Swiss Finnish
    Portuguese Hungarian
""")
_CALENDAR = words("""
    January February March April May June July August September October November December
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
""")
_NEGATIVE = re.compile(r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|hardly|cannot)\b|n[’']t\b", re.I)
_DENIED = re.compile(
    r"\b(is|are|was|were|can|will|would|should|has|have|had|does|do|did|must)(?: not|n[’']t)\b(?! (?:only|just|merely))"
)
_HELPERS = words("is are was were can will should has have had does did must")
_BINDS = words("who which that whose where when while because although though if unless as")
_PARTICIPLE = re.compile(r"\w+(?:ed|en|wn|un|ne|ought|aught|ept|old|ade|eld|ost|ent|ung|et|ut)\b")


def change_name(given: MutationInput) -> Mutation | None:
    """Another name where one stood: of the same sources, or another country, city or people."""
    places = [m for m in _NAME.finditer(given.text) if _is_name(given.text, m)]
    for match in given.rng.sample(places, len(places)):
        for new in _other_names(given, match.group()):
            return given.replaced("name", match.start(), match.end(), new)
    return None


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Not the mere capital of a first word, nor a month, nor what opens a title in quotation marks."""
    first = match.group().split()[0]
    if match.start() == 0 and " " not in match.group() and first not in _PLACES | _PEOPLES:
        return False
    return not is_stop_word(first) and not set(match.group().split()) & _CALENDAR and len(match.group()) > 2


def _other_names(given: MutationInput, old: str) -> Iterator[str]:
    own = set(re.findall(r"\w+", given.text))
    for listed in (_PLACES, _PEOPLES):
        if old in listed:
            near = sorted(name for name in listed if name not in own)
            yield from given.rng.sample(near, len(near))
            return
    found = {m.group() for text in given.others for m in _NAME.finditer(text) if _is_name(text, m)}
    alike = sorted(
        name
        for name in found
        if not set(re.findall(r"\w+", name)) & own
        and name not in _PLACES | _PEOPLES
        and len(name.split()) == len(old.split())
        and name.isupper() == old.isupper()
    )
    yield from given.rng.sample(alike, len(alike))


def change_negation(given: MutationInput) -> Mutation | None:
    """A denial put into a plain statement, or taken out of one that denies."""
    text = given.text
    if text.rstrip().endswith("?"):
        return None
    denials = list(_NEGATIVE.finditer(text))
    if denials:
        denied = _DENIED.search(text)
        if len(denials) > 1 or denied is None or denied[1] in ("does", "do", "did"):
            return None
        return given.replaced("negation", denied.end(1), denied.end(), "")
    found = words_of(text, 0, len(text))
    aside = re.search(r"[(\[\"“«]", text)
    for at, word in enumerate(found):
        if aside and word.start > aside.start():
            return None  # a denial inside brackets or a quotation is not one of the sentence
        if not at or word.lower in _BINDS or text[word.end : word.end + 1] == ",":
            if word.lower in _BINDS and at:
                return None  # the verb of a clause that hangs on the sentence says too little
            continue
        if word.lower in _HELPERS and not word.capital:
            following = found[at + 1].lower if at + 1 < len(found) else ""
            if word.lower in ("has", "have", "had") and not (following == "been" or _PARTICIPLE.fullmatch(following)):
                return given.replaced("negation", word.start, word.start, "never ")
            return given.replaced("negation", word.end, word.end, " not")
        if finite(found, at) and word.lower not in ("may", "might", "could", "would", "do"):
            return given.replaced("negation", word.start, word.start, "never ")
    return None
