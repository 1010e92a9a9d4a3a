"""Whether a sentence that has the words of a claim also says the same: roles, opposites, hedges, whose number it is.

These are reasons against taking shared words for support; none of them refutes a claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from assay.text.comparable import words_of
from assay.text.tokens import STOP_WORDS, stem
from assay.text.words import words
from assay.types import Span


@dataclass(frozen=True, slots=True)
class Objection:
    """Why shared words do not amount to support: a short code, and the reason in plain words."""

    code: str
    reason: str


def find_objection(claim: str, sentence: str) -> Objection | None:
    """The first reason why a sentence with the words of a claim does not state it, or None."""
    if pair := opposite_words(claim, sentence):
        return Objection("OPPOSITE_WORDS", f"the source says “{pair[1]}”, the answer “{pair[0]}”")
    if word := hedge_lost(claim, sentence):
        return Objection("over_extrapolation", f"the source says it with a reservation (“{word}”), the answer without")
    if word := strength_added(claim, sentence):
        return Objection("over_extrapolation", f"the answer says “{word}”, the source does not")
    if swapped_roles(claim, sentence):
        return Objection("ROLES_SWAPPED", "the source has the same words, but not about the same subject")
    return None


# Opposites

_PAIRS = """
    increase/decrease increase/reduce increase/decline rise/fall rose/fell grow/shrink grew/shrank gain/loss gained/lost
    more/less more/fewer higher/lower highest/lowest high/low larger/smaller largest/smallest large/small big/small
    longer/shorter longest/shortest long/short older/younger oldest/youngest old/young heavier/lighter faster/slower
    fastest/slowest best/worst better/worse first/last earliest/latest earlier/later before/after above/below over/under
    maximum/minimum most/least always/never all/none many/few north/south northern/southern east/west eastern/western
    left/right win/lose won/lost open/closed opened/closed open/close start/end began/ended begin/end accept/reject
    approve/reject approved/denied allow/forbid allowed/forbidden allowed/prohibited permit/prohibit legal/illegal
    lawful/unlawful safe/unsafe safe/dangerous true/false male/female man/woman men/women husband/wife father/mother
    son/daughter brother/sister king/queen include/exclude included/excluded import/export buy/sell bought/sold
    positive/negative success/failure succeeded/failed possible/impossible common/rare guilty/innocent hot/cold
    warm/cold wet/dry public/private domestic/foreign strong/weak stronger/weaker effective/ineffective arrive/depart
    enter/leave join/leave joined/left support/oppose supported/opposed agree/disagree present/absent alive/dead
    enabled/disabled enable/disable required/optional mandatory/optional inside/outside upper/lower day/night
    morning/evening ascending/descending acid/base solid/liquid creditor/debtor employer/employee plaintiff/defendant
"""
_OPPOSITES: dict[str, set[str]] = {}
for _pair in _PAIRS.split():
    _one, _other = map(stem, _pair.split("/"))
    _OPPOSITES.setdefault(_one, set()).add(_other)
    _OPPOSITES.setdefault(_other, set()).add(_one)


def opposite_words(claim: str, sentence: str) -> tuple[str, str] | None:
    """A word of the claim that the sentence lacks while it has the opposite ("rose", "fell").

    >>> opposite_words("Profits rose in May.", "In May profits fell.")
    ('rose', 'fell')
    """
    stated = {stem(word): word for word in words_of(sentence)}
    ours = {stem(word): word for word in words_of(claim)}
    for root, word in ours.items():
        against = _OPPOSITES.get(root)
        if against and root not in stated:
            for other in sorted(against & stated.keys() - ours.keys()):
                return word, stated[other]
    return None


# Reservations

_HEDGES = re.compile(
    r"\b(?:may(?!\s+\d)|might|could|possibly|perhaps|maybe|reportedly|allegedly|apparently|supposedly|presumably"
    r"|probably|likely|potentially|suggests?|suggested|suspected|believed|thought\s+to|rumou?red|alleged|proposed"
    r"|hypothesi[sz]ed|claimed|claims|expected|planned|estimated\s+to|appears?\s+to|seems?\s+to|if|unless|whether)\b"
)
# These qualify only what stands beside them: "362 porters and some 10,000 pounds" is sure about the porters.
_NEAR_HEDGES = re.compile(
    r"\b(?:some|few|several|certain|sometimes|rarely|occasionally|partly|partially|nearly|almost)\b"
)
_ONE_OF = re.compile(r"\bone of (?:the|its|his|her|their)(?: \w+){0,2}? (most \w+|\w+est)\b")
_AMONG = re.compile(r"\b(?:one of|among|amongst)\b")
_ALL = words("""
    all every each always constantly invariably entire entirely whole completely any everyone everything everywhere
    both
""")
_SURE = words("certainly definitely undoubtedly surely unquestionably")
_EXACT = words("exactly precisely")
_ROUGHLY = re.compile(
    r"\b(?:about|approximately|around|roughly|nearly|almost|some|over|under|up to|at least|at most|more than|less than"
    r"|fewer than|close to|estimated|circa)\b"
)
_ONLY = words("only sole solely exclusively alone just")
_MUST = words("must shall required requires require mandatory need needs obliged obligatory have has")
_SUPERLATIVE = words("""
    best worst biggest largest smallest highest lowest fastest oldest youngest longest most least
""")


def hedge_lost(claim: str, sentence: str) -> str | None:
    """A reservation that the sentence makes and the claim does not ("may cause" against "causes")."""
    if _HEDGES.search(claim) or _NEAR_HEDGES.search(claim):
        return None
    if match := _HEDGES.search(sentence):
        return match.group()
    if (first := _ONE_OF.search(sentence)) and first[1] in claim and not _AMONG.search(claim):
        return "one of"
    ours = {stem(word) for word in words_of(claim) if _tells(word)}
    for clause in _CLAUSE.split(sentence[:_LONGEST]):
        near = _NEAR_HEDGES.search(clause)
        if near and ours & {stem(word) for word in words_of(clause)}:
            return near.group()
    return None


def strength_added(claim: str, sentence: str) -> str | None:
    """A word by which the claim says more than the sentence: "all patients", "the only one", "must"."""
    ours, stated = words_of(claim), set(words_of(sentence))
    for group in (_ALL, _ONLY, _SURE, _MUST - {"have", "has"}):
        for word in ours:
            if word in group and not stated & (group | _MUST if word in _MUST else group):
                return word
    # "Exactly 30" for a plain "30" says no more than the source.
    if (exact := next((word for word in ours if word in _EXACT), None)) and _ROUGHLY.search(sentence):
        return exact
    return next((word for word in ours if word in _SUPERLATIVE and word not in stated), None)


# Who does what

_AUXILIARY = words("""
    is are was were be been has have had do does did can could will would shall should may might must isn wasn aren
    weren didn doesn don hasn haven hadn couldn wouldn
""")
_DETERMINERS = words("""
    the a an this that these those his her its their our my your of in on at by for from with to and or no some any
    very more most less least as between into over under than per
""")
_RELATIVE = words("who which that whose where when while")
_BE = words("is are was were be been being")
_COMPARISON = re.compile(r"\b(\w+er|more|less) (?:\w+ )?than\b")
_CLAUSE = re.compile(
    r"[;—–()]|[:,](?!\d)|[.!?]\s|\s-\s|\b(?:and|but|while|whereas|although|though|because)\b", re.IGNORECASE
)
_LONGEST = 4_000


def swapped_roles(claim: str, sentence: str) -> bool:
    """Whether a sentence with the claim's words says them of somebody else.

    >>> swapped_roles("Marriott sued Hilton", "In 2009 Hilton sued Marriott.")
    True
    >>> swapped_roles("Marriott sued Hilton", "Hilton was sued by Marriott in 2009.")
    False
    """
    subject, verb, rest = _parts(claim)
    if not subject or not rest:
        return False
    sentence = sentence[:_LONGEST]
    # "The Amazon river is longer than the Nile river": only "Amazon" tells the subject from the rest.
    if _verb_misplaced(claim, sentence, subject - rest, verb):
        return True
    return _foreign_clause(sentence, subject, subject | rest | {verb})


@lru_cache(maxsize=1024)  # every claim of an answer asks it of the same sentences
def subject_of(text: str) -> frozenset[str]:
    """The stems of what a statement is about: its words before the verb."""
    return frozenset(_parts(text)[0])


def _parts(claim: str) -> tuple[set[str], str, set[str]]:
    """The stems before the claim's verb, the verb (empty where it is a mere "is"), and the stems after it."""
    tokens = re.findall(r"[^\W_]+(?:[.,]\d+)*", claim[:_LONGEST])
    if tokens and tokens[0].lower() in ("in", "on", "at", "by", "during", "after", "before", "since", "from", "under"):
        comma = claim.find(",")
        tokens = re.findall(r"[^\W_]+(?:[.,]\d+)*", claim[comma + 1 : _LONGEST]) if 0 <= comma < 60 else tokens
    lowered = [token.lower() for token in tokens]
    at, verb = _find_verb(tokens, lowered)
    subject = {stem(word) for word in lowered[:at] if _tells(word)}
    rest = {stem(word) for word in lowered[at:] if _tells(word)} - {verb}
    return subject, verb, rest


def _find_verb(tokens: list[str], lowered: list[str]) -> tuple[int, str]:
    """Where the verb starts, and its stem: the first auxiliary, or the first lower-case word behind a name or noun."""
    for at, word in enumerate(lowered):
        if not at:
            continue
        if word in _AUXILIARY:
            if compared := _COMPARISON.search(" ".join(lowered[at : at + 6])):
                return at, stem(compared[1])
            main = next(
                (w for w in lowered[at + 1 : at + 4] if w not in _AUXILIARY and _tells(w) and not w.endswith("ly")), ""
            )
            passive = main.endswith(("ed", "en", "wn", "nt", "ght")) and lowered[at + 1 : at + 2] != ["the"]
            return at, stem(main) if passive or word in ("did", "does", "do", "will", "can") else ""
        before = lowered[at - 1]
        if tokens[at][0].islower() and _tells(word) and not word.endswith("ly") and before not in _DETERMINERS:
            named = tokens[at - 1][0].isupper() and (at > 1 or before not in STOP_WORDS)
            noun = at > 1 and lowered[at - 2] in _DETERMINERS
            plural = at == 1 and before.endswith("s")
            behind = lowered[at + 1] if at + 1 < len(lowered) else ""
            if (named or noun or plural) and behind not in _AUXILIARY:
                # "Oxford scientists developed": a word in -ed right behind is the verb, this one a noun.
                return (at + 1, stem(behind)) if behind.endswith("ed") and not word.endswith("ed") else (at, stem(word))
    return 1, ""


def _tells(word: str) -> bool:
    return word not in STOP_WORDS and (len(word) > 1 or word.isdigit())


def _verb_misplaced(claim: str, sentence: str, subject: set[str], verb: str) -> bool:
    """Whether the subject stands on the other side of the verb, taking the passive voice into account."""
    words = words_of(sentence)
    roots = list(map(stem, words))
    if not verb or roots.count(verb) != 1:
        return False
    at = roots.index(verb)
    before, after = subject & set(roots[:at]), subject & set(roots[at + 1 :])
    if _is_passive(words_of(claim), verb) == _is_passive(words, verb):
        return bool(after) and not before
    return bool(before) and not after


def _is_passive(words: list[str], verb: str) -> bool:
    """Whether the verb stands in the passive voice: "was recently discovered", "developed in Oxford by"."""
    at = next((i for i, word in enumerate(words) if stem(word) == verb), -1)
    if at < 0 or words[at].endswith(("ing", "er")) or words[at] in ("more", "less"):
        return False
    return bool(_BE & set(words[max(0, at - 3) : at])) or "by" in words[at + 1 : at + 6]


def _foreign_clause(sentence: str, subject: set[str], terms: set[str]) -> bool:
    """Whether a clause with a subject of its own holds words that the claim says of another.

    "France has 68 million people and Germany 83 million" does not say that Germany has 68 million.
    """
    clauses = [words_of(part) for part in _CLAUSE.split(sentence)]
    held = [{stem(word) for word in clause} & terms for clause in clauses]
    if sum(map(bool, held)) < 2:
        return False
    for i, clause in enumerate(clauses):
        elsewhere = set().union(*(other for j, other in enumerate(held) if j != i))
        if not held[i] - elsewhere or held[i] & subject or not clause:
            continue
        first = next((word for word in clause if _tells(word) and not word.endswith("ly")), "")
        opens = clause[0] in _RELATIVE or clause[0] in _DETERMINERS - {"the", "a", "an", "this", "that"}
        if first and stem(first) not in terms and not opens:
            return True
    return False


# Whether words found in a sentence are stated there, or only part of another statement

_OPENER = re.compile(
    r"(?:[,;:—–(“\"‘«|]|\s-|\b(?:and|but|that|while|whereas|because|since|although|though|so|then|as|when|thus|hence|therefore|the|a|an))\Z",
    re.IGNORECASE,
)
_LONGEST_OPENER = 12
# "a drug is safe only in adults", "in Paris or London", "grew 5 %": what follows takes part of the statement back.
_TAKES_BACK = re.compile(
    r"[\s,]*(?:only|if|unless|except|excluding|provided|assuming|until|or|nor|than|however|but\s+only|but\s+not|but\s+never|no\s+longer|not)\b",
    re.IGNORECASE,
)
_SAME_NAME = re.compile(r"[\s-]+([^\W\d_]\w*)")
_SAME_NUMBER = re.compile(
    r"\s?(?:%|percent|per\s+cent|hundred|thousand|million|billion|trillion|[kmb]n?\b|[-–]\s?\d|[.,]\d)", re.IGNORECASE
)
_ASKED = re.compile(r"\?[\"”’)\s]*+\Z")
_WORDS = re.compile(r"\w++")


def stands_alone(sentence: str, place: Span) -> bool:
    """Whether `sentence[place]` is stated there: it starts a clause, nothing hedges it, nothing after takes it back.

    >>> stands_alone("The wife of Peter Smith won the prize.", Span(12, 37))
    False
    """
    before, found, after = sentence[: place.start], place.of(sentence), sentence[place.end :]
    governing = re.split(r"[;—–]|,\s+(?:and|but)\s", before)[-1]  # up to the last full break
    if _ASKED.search(sentence) or not _opens(before) or hedge_lost(found, governing):
        return False
    if _TAKES_BACK.match(after) or (found[-1:].isdigit() and _SAME_NUMBER.match(after)):
        return False
    going_on = _SAME_NAME.match(after)
    words = _WORDS.findall(found)
    return not (going_on and words and words[-1][0].isupper() and going_on[1][0].isupper())


def _opens(before: str) -> bool:
    """Whether a clause may begin behind this text: at its start, behind a mark, an opening quote or a joining word."""
    quoted = before.rstrip("“\"‘'(*_")
    if any(mark in '“"‘(' for mark in before[len(quoted) :]):
        return True
    bare = quoted.rstrip()
    return not bare or _OPENER.search(bare, max(0, len(bare) - _LONGEST_OPENER)) is not None
