"""The lattice rules: each is a function from the parsed answer with its evidence to the violations it finds.

A rule is named for the violation it reports. To add one, write its function here, name it in `POINTER_RULES` or
`ANSWER_RULES`, add its kind to `ViolationKind`, and put its cases into `tests/lattice/cases/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from assay.lattice.evidence_map import EvidenceMap, EvidenceObject
from assay.lattice.features import ParsedQuestion, QuestionType, TextFeatures, content_tokens
from assay.lattice.forms import ParsedAnswer, has_tag
from assay.lattice.result import OVERFLOW, AnswerForm, Violation, ViolationKind
from assay.policy import Policy
from assay.text.names import find_names, is_bare_name
from assay.text.tokens import singular
from assay.text.words import MONTH_NAMES, words

SHORT_CLAIM = 3  # a claim of up to this many content words needs only one of them in the cited text
MIN_CONTENT = 2  # fewer content words than this are not a claim
MAX_POINTERS = 2  # pointers kept for a claim: more is citing everything
MAX_CLAIMS = 12  # more claims than this in one answer is a warning
LAZY_ANCHOR_SHARE = 0.5  # one pointer carrying this share of the pairs is a lazy anchor
LAZY_ANCHOR_PAIRS = 3  # pairs from which a lazy anchor can be told
SUBJECT_TOKENS = 3  # shared question words that must not all be missing from the cited text
COLLAPSE_LINES = 5  # untagged long lines from which the citing format counts as abandoned
COLLAPSE_LINE_CHARS = 20  # a line longer than this counts towards that
NEIGHBOUR_WINDOW = 300  # characters within which a passage is a neighbour of another


@dataclass(frozen=True)
class CitedClaim:
    """One claim as the rules see it."""

    idx: int
    text: str
    problem: str
    pointers: tuple[str, ...]  # kept, in order
    trimmed: tuple[str, ...]
    objects: tuple[EvidenceObject | None, ...]  # what each kept pointer names
    cited: tuple[EvidenceObject, ...]  # those that resolve and may carry a claim

    @cached_property
    def features(self) -> TextFeatures:
        return TextFeatures(self.text)

    @cached_property
    def span_stems(self) -> frozenset[str]:
        """The content stems of all cited spans together."""
        return frozenset().union(*(item.features.stems for item in self.cited))

    def violation(self, kind: ViolationKind, message: str, pointer: str | None = None, **details: Any) -> Violation:
        """A violation about this claim."""
        return Violation(kind, self.idx, message, pointer, (self.idx,), **details)


class WarrantClass(StrEnum):
    """The classes of anchors."""

    NAME = "proper noun"
    DATE = "date"
    LIST = "entity list"
    COUNT = "count"
    CAUSE = "cause"


@dataclass(frozen=True, slots=True)
class WarrantGap:
    """The anchors a claim's cited spans leave out, and whether the cited document supplies them close by."""

    missing: Mapping[WarrantClass, tuple[str, ...]]
    chained: bool


@dataclass(frozen=True)
class RuleInput:
    """Everything a rule may look at."""

    parsed: ParsedAnswer
    claims: tuple[CitedClaim, ...]
    evidence: EvidenceMap
    question: ParsedQuestion | None
    policy: Policy
    allowed_roles: frozenset[str]
    chain_roots: frozenset[str] = frozenset()
    resolving: tuple[CitedClaim, ...] = ()  # those with a verified pointer, once the rules about pointers have run

    @classmethod
    def of(
        cls,
        parsed: ParsedAnswer,
        evidence: EvidenceMap,
        question: ParsedQuestion | None,
        policy: Policy,
        allowed_roles: frozenset[str],
        chain_roots: frozenset[str] = frozenset(),
    ) -> RuleInput:
        """The input for a parsed answer: pointers beyond the limit are set aside, the others looked up."""
        claims = []
        for idx, claim in enumerate(parsed.claims):
            found = {pointer: evidence.resolve(pointer) for pointer in claim.pointers}
            # A pointer and the evidence id of the same object are one citation.
            pointers = tuple(dict.fromkeys(item.pointer_id if item else pointer for pointer, item in found.items()))
            objects = tuple(evidence.resolve(pointer) for pointer in pointers[:MAX_POINTERS])
            cited = tuple(item for item in objects if item is not None and item.source_role in allowed_roles)
            kept, beyond = pointers[:MAX_POINTERS], pointers[MAX_POINTERS:]
            claims.append(CitedClaim(idx, claim.text, claim.problem, kept, beyond, objects, cited))
        return cls(parsed, tuple(claims), evidence, question, policy, allowed_roles, chain_roots)

    @cached_property
    def malformed(self) -> frozenset[int]:
        """The claims that state nothing that could be checked."""
        return frozenset(
            claim.idx
            for claim in self.claims
            if claim.problem or len(claim.features.stems) < MIN_CONTENT or is_bare_name(claim.text)
        )

    @cached_property
    def gaps(self) -> dict[int, WarrantGap]:
        """The resolving claims whose anchors are not all in their cited spans."""
        found: dict[int, WarrantGap] = {}
        for claim in self.resolving:
            if missing := _find_missing(claim.features, self.question, claim.cited):
                rooted = [item for item in claim.cited if {item.source_id, item.source_sha256} & self.chain_roots]
                near = _find_neighbours(claim.features, missing, rooted, self.evidence, NEIGHBOUR_WINDOW)
                chain = [item for item in near if item.source_role in self.allowed_roles]
                proven = bool(chain) and not _find_missing(claim.features, self.question, [*claim.cited, *chain])
                found[claim.idx] = WarrantGap(missing, proven)
        return found


Rule = Callable[[RuleInput], Iterable[Violation]]

# Rules about claims and their pointers


def unknown_evidence_id(given: RuleInput) -> Iterator[Violation]:
    """A pointer names nothing in the evidence map: it was invented."""
    for claim in given.claims:
        for pointer, item in zip(claim.pointers, claim.objects, strict=True):
            if item is None:
                message = f"{pointer[:40]!r} is not in the evidence map"
                yield claim.violation(ViolationKind.UNKNOWN_EVIDENCE_ID, message, pointer)


def source_role_blocked(given: RuleInput) -> Iterator[Violation]:
    """A pointer names a source whose role may not carry a claim."""
    for claim in given.claims:
        for item in claim.objects:
            if item is not None and item.source_role not in given.allowed_roles:
                message = f"{item.pointer_id} is a {item.source_role}, which may not carry a claim"
                yield claim.violation(ViolationKind.SOURCE_ROLE_BLOCKED, message, item.pointer_id)


def citation_mismatch(given: RuleInput) -> Iterator[Violation]:
    """A cited text shares too few content words with the claim to be about it."""
    for claim in given.claims:
        if claim.idx in given.malformed:
            continue
        stems = claim.features.stems
        for item in claim.cited:
            shared = len(stems & item.features.stems)
            if len(stems) <= SHORT_CLAIM:
                enough = shared >= 1
            else:
                enough = shared / len(stems) >= given.policy.lattice_coverage
            if not enough:
                yield claim.violation(
                    ViolationKind.CITATION_MISMATCH,
                    f"{item.pointer_id} holds {shared} of the claim's {len(stems)} content words",
                    item.pointer_id,
                    absent_tokens=tuple(sorted(stems - item.features.stems)),
                    ratio=shared / len(stems),
                )


def schema_invalid(given: RuleInput) -> Iterator[Violation]:
    """Unreadable JSON, an answer without claims, a tag without text, a bare name, a field of the wrong type."""
    if given.parsed.unreadable:
        yield Violation(ViolationKind.SCHEMA_INVALID, None, f"the answer cannot be read: {given.parsed.unreadable}")
    elif not given.claims:
        yield Violation(ViolationKind.SCHEMA_INVALID, None, "the answer makes no claim")
    for claim in given.claims:
        if claim.idx in given.malformed:
            yield claim.violation(ViolationKind.SCHEMA_INVALID, _why_malformed(claim, MIN_CONTENT))


def _why_malformed(claim: CitedClaim, least: int) -> str:
    if claim.problem:
        return f"this is not a claim: {claim.problem}"
    if not claim.text.strip():
        return "there is no text beside the pointer"
    if is_bare_name(claim.text):
        return "a bare name is not a claim"
    return f"a claim has at least {least} content words; this has {len(claim.features.stems)}"


_DOUBLE_QUOTES = frozenset('"“”„‟＂')


def manual_quote(given: RuleInput) -> Iterator[Violation]:
    """In JSON the renderer adds the quotes: a double quote in a claim is the model's own, unproven quotation."""
    for claim in given.claims if given.parsed.form is AnswerForm.JSON else ():
        if not _DOUBLE_QUOTES.isdisjoint(claim.text):
            message = "a claim is written without double quotes; excerpts are added from the source"
            yield claim.violation(ViolationKind.MANUAL_QUOTE_VIOLATION, message)


def no_evidence_pointer(given: RuleInput) -> Iterator[Violation]:
    """A claim cites nothing."""
    for claim in given.claims:
        if not claim.pointers:
            yield claim.violation(ViolationKind.NO_EVIDENCE_POINTER, "the claim cites no evidence")


def too_many_pointers(given: RuleInput) -> Iterator[Violation]:
    """A claim cites more pointers than allowed: the first are kept, all are counted."""
    for claim in given.claims:
        if claim.trimmed:
            yield claim.violation(
                OVERFLOW[given.parsed.form],
                f"{len(claim.pointers) + len(claim.trimmed)} pointers; kept {', '.join(claim.pointers)}",
                kept_pointers=claim.pointers,
                dropped_pointers=claim.trimmed,
            )


# Rules about the verified claims and the answer as a whole


def too_many_claims(given: RuleInput) -> Iterator[Violation]:
    """The answer makes more claims than one answer should."""
    limit = MAX_CLAIMS
    if len(given.claims) > limit:
        beyond = tuple(claim.idx for claim in given.claims[limit:])
        message = f"{len(given.claims)} claims; at most {limit} belong in one answer"
        yield Violation(ViolationKind.TOO_MANY_CLAIMS, None, message, claims=beyond)


def lazy_anchor(given: RuleInput) -> Iterator[Violation]:
    """One pointer is put behind most claims."""
    counts = Counter(pointer for claim in given.resolving for pointer in claim.pointers)
    pairs = counts.total()
    if not counts or pairs < LAZY_ANCHOR_PAIRS:
        return
    pointer, count = counts.most_common(1)[0]
    if count / pairs >= LAZY_ANCHOR_SHARE:
        claims = tuple(claim.idx for claim in given.resolving if pointer in claim.pointers)
        message = f"{pointer[:40]} carries {count} of {pairs} pairs"
        yield Violation(ViolationKind.LAZY_ANCHOR_DEMOTE, None, message, pointer, claims, ratio=count / pairs)


def warrant_missing(given: RuleInput) -> Iterator[Violation]:
    """The words a claim turns on (a name, a year, a count) stand in none of the spans it cites."""
    for idx, gap in given.gaps.items():
        if not gap.chained:
            words = "; ".join(f"{kind.value}: {', '.join(anchors)}" for kind, anchors in gap.missing.items())
            anchors = tuple(anchor for of_class in gap.missing.values() for anchor in of_class)
            message = f"not in the cited text: {words}"
            yield given.claims[idx].violation(ViolationKind.WARRANT_MISSING, message, missing_anchors=anchors)


def title_mismatch(given: RuleInput) -> Iterator[Violation]:
    """No title of a cited source shares a content word with the claim.

    A source whose title has no content word ("FAQ", a file name, none) says nothing either way.
    """
    for claim in given.resolving:
        titles = [item.title_words for item in claim.cited]
        if all(titles) and not any(claim.features.stems & title for title in titles):
            shown = ", ".join(repr(item.title[:60]) for item in claim.cited if item.title)
            yield claim.violation(ViolationKind.TITLE_MISMATCH, f"nothing in the claim is in the title {shown}")


def subject_tokens_absent(given: RuleInput) -> Iterator[Violation]:
    """The claim repeats words of the question that its cited spans do not have."""
    if given.question is None:
        return
    for claim in given.resolving:
        absent = tuple(sorted((given.question.stems & claim.features.stems) - claim.span_stems))
        if len(absent) >= SUBJECT_TOKENS:
            message = f"the question's words are not in the cited text: {', '.join(absent)}"
            yield claim.violation(ViolationKind.SUBJECT_TOKENS_ABSENT, message, absent_tokens=absent)


# A good answer to these need not repeat the subject: "It was in 1889."
_NO_SUBJECT_NEEDED = frozenset({QuestionType.TIME, QuestionType.COUNT, QuestionType.CAUSE})


def deflection(given: RuleInput) -> Iterator[Violation]:
    """No verified claim mentions what the question is about; only claims count, not the excerpts beside them."""
    question = given.question
    if question is None or not question.subject or question.asks in _NO_SUBJECT_NEEDED or not given.resolving:
        return
    if not any(question.subject in claim.features.stems for claim in given.resolving):
        message = f"no verified claim mentions {question.subject!r}, which the question is about"
        yield Violation(ViolationKind.DEFLECTION_DETECTED, None, message, absent_tokens=(question.subject,))


def format_collapsed(given: RuleInput) -> Iterator[Violation]:
    """Many long lines and not one pointer: the model has left the protocol and is writing prose."""
    if given.parsed.unreadable:
        tagged = has_tag(given.parsed.answer)
        lines = given.parsed.answer.splitlines()
    else:
        tagged = any(claim.pointers for claim in given.claims)
        lines = [claim.text for claim in given.claims]
    long = sum(len(line.strip()) > COLLAPSE_LINE_CHARS for line in lines)
    if not tagged and long >= COLLAPSE_LINES:
        message = f"{long} long lines and not one pointer: the citing format was abandoned"
        claims = tuple(claim.idx for claim in given.claims)
        yield Violation(ViolationKind.FORMAT_COLLAPSED, None, message, claims=claims)


# Warrants: whether the words a claim turns on stand in the spans it cites. Each class looks for its own kind of anchor.
# It is active when the question asks for its kind (dates always are) and the claim has such an anchor beyond the
# question's own words; any active class that fails, fails the claim.

_CAUSE_MIN_LENGTH = 5
# Words that any explanation is made of; finding them in a source explains nothing.
_CAUSE_POOL = frozenset(
    singular(word)
    for word in words(
        """
        affect affected based became because begin began being believed brought called cause caused causing change
        changed consequence contributed create created describe described develop developed driven effect ended explain
        explained explanation factor first found great happen happened happening helped important include included
        including increase increased large largely lead leading likely mainly major making meant might occur occurred
        outcome partly people place possible primarily primary produce produced purpose reason resulted result
        resulting simply small start started state stated stemmed thing think thought three various whether which would
        year
        """
    )
)


def _find_missing(
    claim: TextFeatures, question: ParsedQuestion | None, objects: Sequence[EvidenceObject]
) -> dict[WarrantClass, tuple[str, ...]]:
    """For each class that fails, the anchors that stand in none of the objects."""
    asks = question.asks if question else QuestionType.OTHER
    spans = [item.features for item in objects]
    found: dict[WarrantClass, tuple[str, ...]] = {WarrantClass.DATE: _missing_dates(claim, spans)}
    if question and asks in (QuestionType.RELATION, QuestionType.LIST):
        kind = WarrantClass.NAME if asks is QuestionType.RELATION else WarrantClass.LIST
        found[kind] = _missing_names(claim, question, spans)
    elif asks is QuestionType.COUNT:
        found[WarrantClass.COUNT] = _missing_counts(claim, spans)
    elif question and asks is QuestionType.CAUSE:
        found[WarrantClass.CAUSE] = _missing_causes(claim, question, spans)
    return {kind: anchors for kind, anchors in found.items() if anchors}


def _find_neighbours(
    claim: TextFeatures,
    missing: Mapping[WarrantClass, tuple[str, ...]],
    cited: Sequence[EvidenceObject],
    evidence: EvidenceMap,
    window: int,
) -> list[EvidenceObject]:
    """The warrant chain of a claim: what its cited documents say close to the cited spans.

    One step only: objects of the same document that overlap a cited span or stand within `window` characters of it,
    and that speak of the claim (share a content word with it besides the missing anchors).
    """
    anchors = {token for words in missing.values() for word in words for token in content_tokens(word)}
    subject = claim.stems - anchors
    return [
        other
        for item in cited
        for other in evidence.by_source.get(item.source, ())
        if other not in cited and _distance(item, other) <= window and subject & other.features.stems
    ]


def _distance(one: EvidenceObject, other: EvidenceObject) -> int:
    """The characters between two stretches of a document; negative where they overlap."""
    return max(one.start, other.start) - min(one.end, other.end)


def _missing_dates(claim: TextFeatures, spans: Sequence[TextFeatures]) -> tuple[str, ...]:
    """The years, decades and months of the claim that no span states; a year proves its decade."""
    wanted = claim.calendar
    if not (wanted.years or wanted.decades or wanted.months):
        return ()
    stated = [span.calendar for span in spans]
    years = frozenset().union(*(item.years for item in stated))
    decades = frozenset().union(*(item.decades for item in stated)) | {year - year % 10 for year in years}
    months = frozenset().union(*(item.months | item.possible_months for item in stated))
    return (
        *(str(year) for year in sorted(wanted.years - years)),
        *(f"{decade}s" for decade in sorted(wanted.decades - decades)),
        *(MONTH_NAMES[month - 1] for month in sorted(wanted.months - months)),
    )


def _missing_counts(claim: TextFeatures, spans: Sequence[TextFeatures]) -> tuple[str, ...]:
    """The counts of the claim that no span holds."""
    known = frozenset().union(*(span.counts.numbers for span in spans))
    return tuple(f"{float(value):g}" for value in sorted(claim.counts.counts - known))


def _missing_names(claim: TextFeatures, question: ParsedQuestion, spans: Sequence[TextFeatures]) -> tuple[str, ...]:
    """The claim's names when none of them is in a span; names of the question are not the answer."""
    names = [name for name in find_names(claim.text) if name.key not in question.words]
    if len(names) == 1 and names[0].opens:
        # A lone capitalised first word may be a common noun: "Researchers found it."
        seen = any(names[0].key in span.words for span in spans)
    else:
        seen = any(name.key in span.capitalised for span in spans for name in names)
    return () if seen else tuple(dict.fromkeys(name.text for name in names))


def _missing_causes(claim: TextFeatures, question: ParsedQuestion, spans: Sequence[TextFeatures]) -> tuple[str, ...]:
    """The claim's causes when none of them is in a span: names, and longer words outside the pool."""
    names = [name for name in find_names(claim.text) if name.key not in question.words and not name.opens]
    nouns = sorted(
        token
        for token in claim.stems - question.words - _CAUSE_POOL
        if len(token) >= _CAUSE_MIN_LENGTH and not token.isdecimal()
    )
    if any(noun in span.stems for span in spans for noun in nouns):
        return ()
    if any(name.key in span.capitalised for span in spans for name in names):
        return ()
    return tuple(dict.fromkeys([*(name.text for name in names), *nouns]))


POINTER_RULES: dict[str, Rule] = {
    "UNKNOWN_EVIDENCE_ID": unknown_evidence_id,
    "SOURCE_ROLE_BLOCKED": source_role_blocked,
    "CITATION_MISMATCH": citation_mismatch,
    "SCHEMA_INVALID": schema_invalid,
    "MANUAL_QUOTE_VIOLATION": manual_quote,
    "NO_EVIDENCE_POINTER": no_evidence_pointer,
    "POINTER_OVERFLOW_TRIMMED": too_many_pointers,
}
"""The rules that say which claims and pointers are verified, in the order their violations are reported."""

ANSWER_RULES: dict[str, Rule] = {
    "TOO_MANY_CLAIMS": too_many_claims,
    "LAZY_ANCHOR_DEMOTE": lazy_anchor,
    "WARRANT_MISSING": warrant_missing,
    "TITLE_MISMATCH": title_mismatch,
    "SUBJECT_TOKENS_ABSENT": subject_tokens_absent,
    "DEFLECTION_DETECTED": deflection,
    "FORMAT_COLLAPSED": format_collapsed,
}
"""The rules that look at what is verified, and at the answer as a whole."""

OPTIONAL = ("CITATION_MISMATCH", "MANUAL_QUOTE_VIOLATION", *ANSWER_RULES)
"""The checks that can be left out; the others are what a pointer means."""

NEEDS_QUESTION = ("SUBJECT_TOKENS_ABSENT", "DEFLECTION_DETECTED")
"""The rules that cannot look without a question."""
