"""Subject, verb and predicate of a plain clause, noun phrases, and one-way relations between two of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.claims.grammar import (
    ADVERBS,
    AUXILIARIES,
    BINDERS,
    DETERMINERS,
    NOT_PASTS,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    Word,
    finite,
    words_of,
)
from assay.text.words import words
from assay.types import Span

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|hardly|cannot)\b|n[’']t\b", re.IGNORECASE
)
# Plural present forms, which are nouns as often: taken for verbs behind a plural only ("Members receive").
_PLURAL_PRESENTS = words("""
    receive pay get need cost earn include contain require cover apply run open close start end keep hold work live
    reach provide offer accept allow expire belong lie stand weigh measure last take give go come use produce sell
    make carry support store serve begin depend lose lapse remain become arrive leave report bear expect share see
""")
# Presents that `finite` takes for verbs only before an object ("closes at six", "costs about").
_INTRANSITIVE = words("""
    closes opens costs runs lives works stands starts ends covers applies reports replaces succeeds expires weighs
    measures lasts holds arrives departs leaves orbits rises falls ranges contributes lapses entitles
""")
_NO_SUBJECT = words("if when while unless until once because although though where there here as since please what how")
_LONGEST_SUBJECT = 8
_JOINT = re.compile(r";\s++|,?(?<!\s)\s++(?:while|whereas|but)\s++|,\s++and\s++")
_PHRASE_STOP = re.compile(r"[,.;:()–—?!\"“”]|\s-\s")


@dataclass(frozen=True, slots=True)
class PlainClause:
    """A subject and what is said of it, in a stretch of a sentence; the final stop lies outside."""

    text: str
    span: Span
    subject: str
    verb: str
    predicate: str


def find_verb(found: Sequence[Word]) -> int | None:
    """Where the first verb stands that has a subject before it.

    >>> find_verb(words_of("Full members receive two cards.", 0, 31))
    2
    """
    for at in range(1, min(len(found), _LONGEST_SUBJECT + 8)):
        word = found[at]
        if finite(list(found), at) or (word.lower in _INTRANSITIVE and not word.capital):
            return at
        before = found[at - 1]
        plural = before.lower.endswith("s") or before.lower in ("people", "staff", "women", "men", "children")
        if plural and word.lower in _PLURAL_PRESENTS and not word.capital:
            return at
        if _is_plain_past(found, at):
            return at
    return None


def _is_plain_past(found: Sequence[Word], at: int) -> bool:
    """Whether a past form without an object is the verb ("opened in May"), and no participle ("opened in May was")."""
    word, before = found[at].lower, found[at - 1].lower
    if not word.endswith("ed") or word in NOT_PASTS or found[at].capital or before in DETERMINERS | PREPOSITIONS:
        return False
    following = [one.lower for one in found[at + 1 : at + 9] if not one.capital]  # "on 3 May" has no helper verb
    plain = bool(following) and following[0] in PREPOSITIONS - {"by", "of"}
    return plain and AUXILIARIES.isdisjoint(following)


def read_clause(text: str, start: int = 0, end: int | None = None) -> PlainClause | None:
    """The clause of a stretch that begins with a short subject; None where it begins otherwise."""
    end = len(text) if end is None else end
    stretch = text[start:end].rstrip(" .;")
    found = words_of(text, start, start + len(stretch))
    if not found or found[0].start != start:
        return None
    first = found[0].lower
    if first in _NO_SUBJECT or first in SUBJECT_PRONOUNS - {"most", "some", "many"} or first in PREPOSITIONS:
        return None
    at = find_verb(found)
    if at is None or at > _LONGEST_SUBJECT or at + 1 >= len(found):
        return None
    subject = text[start : found[at].start].rstrip()
    if _PHRASE_STOP.search(subject) or any(word.lower in BINDERS | {"and", "or"} for word in found[:at]):
        return None
    predicate = text[found[at].start : start + len(stretch)]
    return PlainClause(stretch, Span(start, start + len(stretch)), subject, found[at].lower, predicate)


def read_clauses(text: str) -> Iterator[PlainClause]:
    """The clauses of a sentence: parted by semicolons, or by "and", "while", "but" before a subject of their own."""
    starts = [0, *(match.end() for match in _JOINT.finditer(text))]
    ends = [*(match.start() for match in _JOINT.finditer(text)), len(text)]
    clauses = [read_clause(text, start, end) for start, end in zip(starts, ends, strict=True)]
    if all(clauses):
        yield from (clause for clause in clauses if clause)
    elif whole := read_clause(text):
        yield whole


def noun_phrase(text: str, start: int) -> Span | None:
    """The noun phrase that starts here: up to six words, ended by a stop, a preposition or a conjunction."""
    found = words_of(text, start, min(len(text), start + 80))
    if not found or found[0].start != start or not _opens_phrase(found[0]):
        return None
    end = found[0].end
    for at, word in enumerate(found):
        if at and (_PHRASE_STOP.search(text[end : word.start]) or _ends_phrase(word)):
            break
        if at == 6:
            return None
        end = word.end
    last = next(word for word in reversed(found) if word.end <= end)
    return None if last.lower in DETERMINERS else Span(start, end)


def _opens_phrase(word: Word) -> bool:
    pronoun = word.lower in SUBJECT_PRONOUNS or word.lower in words("him them me us it you himself itself")
    articles = words("the a an its his her their our your my each every")
    return (not pronoun and word.lower not in PREPOSITIONS and word.lower not in DETERMINERS) or word.lower in articles


def _ends_phrase(word: Word) -> bool:
    return word.lower in (PREPOSITIONS - {"of"}) | BINDERS | words(
        "and or but than is are was were has have had will would can may must shall should do does did not only"
        " also when both then yesterday today now again together directly immediately automatically"
    )


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase looks like a plural.

    >>> is_plural("the owners of the house"), is_plural("Pellar")
    (True, False)
    """
    head = re.split(r" (?:of|in|at|for|with|from) ", phrase)[0].split()[-1]
    if head[:1].isupper() and not phrase.lower().startswith(("the ", "all ")) and " " not in phrase:
        return False
    return head.lower() in ("people", "staff", "women", "men", "children") or bool(
        re.search(r"(?<![sui])s$", head.lower())
    )


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


VERBS = (*(_regular(base) for base in _REGULAR.split()), *(Verb(*forms.split(":")) for forms in _IRREGULAR))
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
