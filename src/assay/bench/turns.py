"""Words changed so that a sentence turns false: names, denials, quantifiers, qualifiers, roles, anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from assay.bench.mutations import Mutation, Scene
from assay.claims.citations import find_citations
from assay.claims.grammar import finite, words_of
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
_SYMMETRIC = words("and or with between near beside alongside married met same both each")

# What a quantifier becomes so that the new sentence does not follow from the old one.
_QUANTIFIERS = (
    (r"more than(?= [\d$€£]| \w+ (?:hundred|thousand|million))", "less than"),
    (r"(?:less|fewer) than(?= [\d$€£])", "more than"),
    (r"at least(?= [\d$€£])", "fewer than"),
    (r"up to(?= [\d$€£])", "more than"),
    (r"over(?= [\d$€£])", "under"),
    (r"always", "never"),
    (r"never", "always"),
    (r"(?:often|usually|sometimes|frequently|generally|typically)", "always"),
    (r"(?:rarely|seldom)", "often"),
    (r"(?<!at )(?<!after )(?<!above )(?<!of )(?:all|every one)(?= (?:of|the|its|his|her|their|[a-z]+s)\b)", "few"),
    (r"every(?= [a-z])", "no"),
    (r"(?<!the )(?<!’s )(?<!'s )(?<!second )(?<!its )(?<!at )most(?= (?:of|[a-z]+s)\b)", "few"),
    (r"(?<!as )(?<!so )(?<!how )many(?= (?:of|[a-z]+s)\b)", "hardly any"),
    (r"several(?= [a-z])", "no"),
    (r"some(?= of\b)", "all"),
    (r"some(?= [a-z]+s\b)", "all"),
    (r"(?<!a )few(?= [a-z]+s\b)", "most"),
    (r"both(?= [a-z]+s\b)", "only one of the two"),
    (r"majority", "minority"),
    (r"minority", "majority"),
)
# What limits a statement, and what is left when the limit is dropped: each time more is claimed than was said.
_QUALIFIERS = (
    (r"(?:wrongly|falsely|incorrectly|mistakenly|erroneously) ", ""),
    (r"(?:allegedly|reportedly|supposedly|purportedly|possibly|probably|perhaps|presumably) ", ""),
    (r"(?:alleged|supposed|suspected|proposed|planned|unsuccessful|attempted) ", ""),
    (r"(?:former|acting|deputy|assistant|honorary|interim|vice|associate) (?=[A-Za-z])", ""),
    (r"co-?(?=(?:founded|founder|wrote|written|directed|produced|owned|discovered)\b)", ""),
    (r"(?:second|third|fourth|fifth)[ -](?=(?:most|[a-z]+est)\b)", ""),
    (r"(?:partly|partially|mainly|mostly|largely|sometimes|occasionally|usually|generally|typically|rarely) ", ""),
    (r"(is|was) (?:thought|believed|said|reported|considered|claimed|rumou?red) to be\b", r"\1"),
    (r"(?<!s )(?<!you )(?<!they )(?:may|might|could) be\b", "is"),
    (r"(?<=s )(?:may|might|could) be\b", "are"),
    (r"(?<!s )(?<!you )(?<!they )(?:may|might|could) have\b", "has"),
    (r"(?<=s )(?:may|might|could) have\b", "have"),
    (
        r"(?:attempted|tried|failed|planned|intended|hoped) to (reach|climb|win|become|build|take|cross|find)\b",
        r"did \1",
    ),
    (r"(?:nearly|almost|barely) (?=(?:all|every|none|destroyed|complete|extinct)\b)", ""),
)
_CONDITION = re.compile(r"^(?:If|Unless|Provided that|As long as) [^,.;]{6,90}, (?=[a-z])")
# One-way relations: with the two names exchanged the sentence says something else.
_ONE_WAY = re.compile(
    r"\b(?:defeated|beat|succeeded|preceded|replaced|followed|caused|led|influenced|killed|founded|wrote|directed|produced"
    r"|owns|owned|acquired|bought|conquered|invaded|attacked|taught|named|greeted|discovered|invented|played"
    r"|designed|created|composed|commissioned|joined|supports|orbits|contains|borders on"
    r"|north of|south of|east of|west of|older than|younger than|larger than|smaller than|higher than|lower than"
    r"|before|after|by|son of|daughter of|father of|mother of|part of|capital of|president of)\b"
)
_LONGEST_BETWEEN = 8  # words between two names that one relation may span


def change_name(scene: Scene) -> Mutation | None:
    """Another name where one stood: of the same sources, or another country, city or people."""
    places = [m for m in _NAME.finditer(scene.text) if _is_name(scene.text, m)]
    for match in scene.dice.sample(places, len(places)):
        for new in _other_names(scene, match.group()):
            return scene.replaced("name", match.start(), match.end(), new)
    return None


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Not the mere capital of a first word, nor a month, nor what opens a title in quotation marks."""
    first = match.group().split()[0]
    if match.start() == 0 and " " not in match.group() and first not in _PLACES | _PEOPLES:
        return False
    return not is_stop_word(first) and not set(match.group().split()) & _CALENDAR and len(match.group()) > 2


def _other_names(scene: Scene, old: str) -> Iterator[str]:
    own = set(re.findall(r"\w+", scene.text))
    for listed in (_PLACES, _PEOPLES):
        if old in listed:
            near = sorted(name for name in listed if name not in own)
            yield from scene.dice.sample(near, len(near))
            return
    found = {m.group() for text in scene.others for m in _NAME.finditer(text) if _is_name(text, m)}
    alike = sorted(
        name
        for name in found
        if not set(re.findall(r"\w+", name)) & own
        and name not in _PLACES | _PEOPLES
        and len(name.split()) == len(old.split())
        and name.isupper() == old.isupper()
    )
    yield from scene.dice.sample(alike, len(alike))


def change_sign(scene: Scene) -> Mutation | None:
    """A denial put into a plain statement, or taken out of one that denies."""
    text = scene.text
    if text.rstrip().endswith("?"):
        return None
    denials = list(_NEGATIVE.finditer(text))
    if denials:
        denied = _DENIED.search(text)
        if len(denials) > 1 or denied is None or denied[1] in ("does", "do", "did"):
            return None
        return scene.replaced("negation", denied.end(1), denied.end(), "")
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
                return scene.replaced("negation", word.start, word.start, "never ")
            return scene.replaced("negation", word.end, word.end, " not")
        if finite(found, at) and word.lower not in ("may", "might", "could", "would", "do"):
            return scene.replaced("negation", word.start, word.start, "never ")
    return None


def change_quantifier(scene: Scene) -> Mutation | None:
    """All for some, never for always, less for more."""
    return _swapped(scene, "quantifier", _QUANTIFIERS)


def drop_qualifier(scene: Scene) -> Mutation | None:
    """The words that limit a statement taken away: alleged, former, sometimes, "If it rains, …"."""
    condition = _CONDITION.match(scene.text)
    if condition:
        return scene.replaced("dropped qualifier", 0, condition.end(), "")
    return _swapped(scene, "dropped qualifier", _QUALIFIERS)


def _swapped(scene: Scene, kind: str, table: tuple[tuple[str, str], ...]) -> Mutation | None:
    found = [
        (match, match.expand(new))
        for pattern, new in table
        for match in re.finditer(rf"\b{pattern}", scene.text, re.IGNORECASE)
    ]
    if not found:
        return None
    match, new = scene.dice.choice(found)
    if new and match.group()[0].isupper():
        new = new[0].upper() + new[1:]
    return scene.replaced(kind, match.start(), match.end(), new)


def swap_roles(scene: Scene) -> Mutation | None:
    """The two names of a one-way relation exchanged: who defeated whom, which came before which."""
    text = scene.text
    names = [m for m in _NAME.finditer(text) if _is_name(text, m) and m.group() not in _PEOPLES]
    for left, right in pairwise(names):
        between = text[left.end() : right.start()]
        if len(between.split()) > _LONGEST_BETWEEN or left.group() == right.group() or "," in between:
            continue
        if _ONE_WAY.search(between) and not set(between.lower().split()) & _SYMMETRIC:
            if set(left.group().split()) & set(right.group().split()):
                continue
            return scene.replaced("swapped roles", left.start(), right.end(), f"{right.group()}{between}{left.group()}")
    return None


def merge_facts(scene: Scene) -> Mutation | None:
    """The subject of this sentence with what another sentence says of somebody else."""
    own = _halves(scene.text)
    if own is None:
        return None
    subject, verb, start = own
    rivals = []
    for other in scene.others:
        theirs = _halves(other)
        if theirs is None or theirs[1] != verb:
            continue  # the same verb form agrees with both subjects
        if set(re.findall(r"\w+", theirs[0].lower())) & set(re.findall(r"\w+", scene.text.lower())) - {
            "the",
            "a",
            "of",
        }:
            continue
        if subject.lower() not in other.lower():
            rivals.append(other[theirs[2] :])
    if not rivals:
        return None
    told = scene.dice.choice(sorted(set(rivals)))
    return scene.replaced("merged facts", start, len(scene.text), told)


def _content(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if not is_stop_word(word)}


def _halves(text: str) -> tuple[str, str, int] | None:
    """A short subject with a name in it, its verb, and where that verb stands."""
    found = words_of(text, 0, len(text))
    for at in range(1, min(len(found), 9)):
        if "," in text[: found[at].start] or found[at].lower in _BINDS or found[at].lower in ("and", "of", "in"):
            return None
        if finite(found, at):
            subject = text[: found[at].start].strip()
            named = any(word.capital and not is_stop_word(word.lower) for word in found[:at])
            return (subject, found[at].lower, found[at].start) if named else None
    return None


def swap_citation(scene: Scene) -> Mutation | None:
    """The anchor made to name another source that exists."""
    for anchor in find_citations(scene.text):
        if anchor.style == "number" and len(anchor.targets) == 1:
            others = [n for n in range(1, scene.sources + 1) if str(n) != anchor.targets[0]]
            if others:
                new = f"[{scene.dice.choice(others)}]"
                return scene.replaced("swapped citation", anchor.span.start, anchor.span.end, new)
    return None


def invent_citation(scene: Scene) -> Mutation | None:
    """The anchor made to name a source that does not exist."""
    for anchor in find_citations(scene.text):
        if anchor.style == "number":
            highest = max(scene.sources, *(int(target) for target in anchor.targets))
            new = f"[{highest + scene.dice.randint(1, 9)}]"
            return scene.replaced("invented citation", anchor.span.start, anchor.span.end, new)
    return None
