"""The judge without a model: its own words in a source support a claim, a number or a negation there refutes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from assay.claims import locate
from assay.explanation import capitalise, list_words, name_source, quoted
from assay.judges import Judge, levels
from assay.judges.asking import Deliberation, not_checkable, unverified
from assay.judges.budget import Budget
from assay.judges.contract import check_contract
from assay.lexical.agreement import find_objection, stands_alone, strength_added
from assay.lexical.comparison import LONG_PASSAGE, ClaimWords, Comparison, PassageSentence, PassageText, read_passage
from assay.lexical.negation import find_denial, is_negative, negated_around, negation_conflict
from assay.lexical.numbers import NumberCheck, NumberStatus, prove_numbers
from assay.lexical.quotes import PARAPHRASE_MIN_CONTENT, PARTIAL_COVERAGE, SPAN_MIN_CHARS
from assay.policy import CLAIM_MAX_TOKENS, Policy
from assay.text.comparable import is_number, locate_words, words_of
from assay.text.quantities import QuantityKind
from assay.text.tokens import count_tokens, stem
from assay.text.words import points_back
from assay.types import Claim, Evidence, Judgement, Passage, Span, Stance, Support, Verdict

_ALL_WORDS = 0.15  # how much surer a paraphrase is that finds every word than one that finds just enough
_SHORT_TERMS = 3  # a claim of few words is a paraphrase only if it has this many, all of them in one sentence
_CLOSEST = 8  # sentences looked at in detail
_REPORTING = frozenset(
    stem(word)
    for word in """
    say says said state states stated write writes wrote written note notes noted report reports reported describe
    describes described call calls called article text source document passage according quote quotes quoted author
    paper explains explained mentions mentioned adds added tell tells told ask asks asked reply replies replied remark
    remarks remarked answer answers answered greet greets greeted words word
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Proof:
    """What one place of a source does to a claim."""

    method: str
    confidence: float
    evidence: Evidence
    explanation: str
    differing: NumberCheck | None = None


class LexicalJudge(Judge):
    """Judges by words, numbers and negations alone; deterministic, and sure only where the words leave no choice."""

    name = "lexical"

    def __init__(self, policy: Policy | None = None) -> None:
        self.policy = policy or Policy()

    def judge(
        self, claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None = None
    ) -> list[Judgement]:
        """One judgement for each claim from its own passages; input beyond the limits of one judgement is refused."""
        check_contract(claims, passages, question, self.policy)
        return list(self.deliberate(claims, passages).judgements)

    def deliberate(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Sequence[Passage]],
        question: str | None = None,
        budget: Budget | None = None,
    ) -> Deliberation:
        """The same for a whole answer, from passages of any length; the question does not change what words prove."""
        judgements: list[Judgement] = []
        for claim, found in zip(claims, passages, strict=True):
            if budget is not None and claim.checkable and budget.out_of_time:
                judgements.append(unverified(f"Not verified: the {budget.limit} was used up."))
            else:
                judgements.append(self.judge_claim(claim, found))
        return Deliberation(tuple(judgements))

    def judge_claim(self, claim: Claim, passages: Sequence[Passage]) -> Judgement:
        """What the passages say about one claim."""
        started = perf_counter()
        if not claim.checkable:
            return not_checkable(claim)
        hearing = _Hearing(ClaimWords.of(claim), [read_passage(p) for p in passages], self.policy)
        return replace(hearing.decide(), latency_ms=(perf_counter() - started) * 1000)


class _Hearing:
    """One claim before its passages."""

    def __init__(self, claim: ClaimWords, readings: list[PassageText], policy: Policy) -> None:
        self.claim = claim
        self.readings = readings
        self.policy = policy
        self.compared = Comparison(claim, readings, policy.rounding_tolerance)
        self.violations: list[str] = []
        self.doubts: list[str] = []

    def decide(self) -> Judgement:
        if not self.claim.words:
            return self._unsettled()
        support = self._quoted() if self.claim.quotes else self._verbatim() or self._under_title()
        refutation = None
        # A claim beyond the documented length can be found word for word, but not weighed word by word.
        if count_tokens(self.claim.text) <= CLAIM_MAX_TOKENS:
            support = support or (None if self.claim.quotes else self._paraphrase())
            refutation = self._number() or self._negation()
        if support and refutation and refutation.method == "negation" and support.method == "paraphrase":
            support = None
        if support:
            return self._supported(support, refutation)
        if refutation and "QUOTE_NOT_FOUND" not in self.violations:
            return self._refuted(refutation)
        return self._unsettled()

    # Support

    def _quoted(self) -> _Proof | None:
        """Every quote word for word, and what the claim says around them beside it."""
        places = []
        for quote in self.claim.quotes:
            place = self._find_quote(quote)
            if place is None:
                return None
            places.append(place)
        around = self.claim.terms - {stem(word) for quote in self.claim.quotes for word in words_of(quote)} - _REPORTING
        near = frozenset().union(*(line.roots | reading.title_roots for line, reading in places))
        if around - near:
            near |= frozenset().union(*(other.roots for _, reading in places for other in reading.lines))
        if lacking := around - near:
            self.doubts.append("The quoted words stand in the source, but not all that the answer says about them.")
            # The quote is proven; what is said around it must name the same people and be about the same thing.
            named = lacking & self.claim.names - {stem(word) for word in self.claim.words[:1]}  # "Back at the camp"
            if named or any(map(is_number, lacking)) or len(lacking) > len(around) * PARTIAL_COVERAGE:
                return None
        line = places[0][0]
        if is_negative(self.claim.text) != is_negative(line.text):
            self.doubts.append("The quoted words stand in the source, but the source says it with the opposite sign.")
            return None
        if bold := strength_added(self.claim.text, " ".join(place.text for place, _ in places)):
            self.violations.append("over_extrapolation")
            self.doubts.append(
                f"The quoted words stand in the source, but the answer says “{bold}”, the source does not."
            )
            return None
        return _Proof(
            "quote",
            levels.QUOTE,
            _cite(line, Stance.SUPPORTS),
            f"These words stand in {name_source(line.document)}.",
        )

    def _find_quote(self, quote: str) -> tuple[PassageSentence, PassageText] | None:
        words = words_of(quote)
        denied = None
        for line, reading, place in self.compared.places(words):
            denied = negated_around(line.text, place)
            if denied is None or negated_around(self.claim.text, _locate(quote, self.claim.text)):
                return line, reading
        if denied:
            self.violations.append("CONTEXT_NEGATED")
            self.doubts.append(f"The source denies the quoted words: “{denied}”.")
        else:
            self.violations.append("QUOTE_NOT_FOUND")
            self.doubts.append(f"No source has the quoted words {quoted(quote)}")
        return None

    def _verbatim(self) -> _Proof | None:
        """The claim as a whole clause of the source."""
        if len(self.claim.text) < SPAN_MIN_CHARS or len(self.claim.words) < 2:
            return None
        for line, reading, place in self.compared.places(self.claim.words):
            if denial := negated_around(line.text, place):
                self.violations.append("CONTEXT_NEGATED")
                self.doubts.append(f"The source has these words but denies them: “{denial}”.")
            elif not stands_alone(line.text, place):
                self.doubts.append("The source has these words only as part of a longer statement.")
            elif self.compared.same_referent(reading):
                self.violations.clear()
                return _Proof(
                    "span",
                    levels.SPAN,
                    _cite(line, Stance.SUPPORTS),
                    f"These words stand in {name_source(line.document)}.",
                )
        return None

    def _under_title(self) -> _Proof | None:
        """The claim as a clause whose pronoun stands for the title: "Ann Lee left" for "She left" in "Ann Lee"."""
        for reading in self.readings:
            named = 0
            while named < len(self.claim.words) and stem(self.claim.words[named]) in reading.title_roots:
                named += 1
            rest = self.claim.words[named:]
            if not named or len(rest) < _SHORT_TERMS:
                continue
            for line in reading.lines:
                if not points_back(line.text) or words_of(line.text)[1 : 1 + len(rest)] != rest:
                    continue
                place = locate_words(words_of(line.text)[: 1 + len(rest)], line.text)
                if place and stands_alone(line.text, place) and not negated_around(line.text, place):
                    said = f"These words stand in {name_source(line.document)}, which is about this."
                    confidence = min(levels.SPAN, self.policy.unsure_high)  # "he" may be another
                    return _Proof("span", confidence, _cite(line, Stance.SUPPORTS), said)
        return None

    def _paraphrase(self) -> _Proof | None:
        """Nearly all content words in one sentence, with every name and number, the same sign and the same roles."""
        if "CONTEXT_NEGATED" in self.violations or self.doubts:
            return None
        claim, needed = self.claim, self.policy.paraphrase_coverage
        short = len(claim.content) < PARAPHRASE_MIN_CONTENT
        for share, line, reading in self.compared.ranked[:_CLOSEST]:
            if share < needed:
                break
            roots = line.roots | reading.title_roots
            if short and (len(claim.terms) < _SHORT_TERMS or not claim.plain_terms <= roots):
                continue
            if not claim.names <= roots or not self.compared.same_referent(reading) or self._doubt(line):
                continue
            surplus = (share - needed) / (1 - needed) if needed < 1 else 1.0
            confidence = min(1.0, levels.PARAPHRASE + _ALL_WORDS * surplus)
            said = "the same" if share == 1 else "nearly the same"
            words = f"{name_source(line.document, capital=True)} says {said} in other words: {quoted(line.text)}"
            return _Proof("paraphrase", confidence, _cite(line, Stance.SUPPORTS), words)
        return None

    def _doubt(self, line: PassageSentence) -> bool:
        """Whether something keeps a sentence with the claim's words from stating it; the reason is remembered."""
        text = self.claim.text
        proof = prove_numbers(text, line.text, tolerance=self.policy.rounding_tolerance)
        if proof.checks and not proof.proved:
            self.doubts.append(proof.explanation)
        elif not proof.checks and any(is_number(word) and stem(word) not in line.roots for word in self.claim.words):
            self.doubts.append("The source does not state a number of the answer.")
        elif is_negative(text) != is_negative(line.text) or (not is_negative(text) and find_denial(line.text)):
            self.doubts.append("The source says it with a negation, or denies it.")
        elif objection := find_objection(text, line.text):
            self.violations.append(objection.code)
            self.doubts.append(f"{capitalise(objection.reason)}.")
        else:
            return False
        return True

    # Refutation

    def _number(self) -> _Proof | None:
        """Another value for the same thing in a sentence of the source."""
        found: _Proof | None = None
        for reading in self.readings:
            if len(reading.prose.text) > LONG_PASSAGE or not self.compared.same_referent(reading):
                continue
            proof = prove_numbers(
                self.claim.text,
                reading.prose.text,
                tolerance=self.policy.rounding_tolerance,
            )
            for check in () if found else proof.checks:
                if check.status is NumberStatus.DIFFERENT and check.sentence and check.stated:
                    span = reading.span_of(check.sentence.start, check.sentence.end)
                    evidence = Evidence.cite(reading.passage.document, span.start, span.end, stance=Stance.REFUTES)
                    method = "date" if check.claimed.kind is QuantityKind.DATE else "number"
                    found = _Proof(method, levels.NUMBER, evidence, check.explanation, check)
                    break
        return found

    def _negation(self) -> _Proof | None:
        """The same statement with the opposite sign."""
        for share, line, reading in self.compared.ranked[:_CLOSEST]:
            if (
                share < self.policy.paraphrase_coverage
                or line.sentences > 1
                or not self.compared.same_referent(reading)
            ):
                continue
            conflict = negation_conflict(self.claim.text, line.text) or self._denial(line)
            if conflict and self.claim.names <= line.roots | reading.title_roots:
                words = (
                    f"{name_source(line.document, capital=True)} says the opposite (“{conflict}”): {quoted(line.text)}"
                )
                return _Proof("negation", levels.NEGATION, _cite(line, Stance.REFUTES), words)
        return None

    def _denial(self, line: PassageSentence) -> str | None:
        """The words of "It is false that …" where the claim's own words follow it."""
        place = locate_words(self.claim.words, line.text)
        denial = negated_around(line.text, place) if place else None
        return denial if denial and _is_flat(denial) else None

    # Judgements

    def _supported(self, support: _Proof, refutation: _Proof | None) -> Judgement:
        evidence = [support.evidence]
        violations: tuple[str, ...] = ()
        explanation = support.explanation
        if refutation and refutation.evidence != support.evidence:
            evidence.append(refutation.evidence)
            violations = ("SOURCES_DISAGREE",)
            explanation += f" Another place disagrees: {refutation.explanation}"
        return Judgement(
            Verdict.SUPPORTED,
            support.confidence,
            support.method,
            Support.FULL,
            explanation,
            tuple(evidence),
            violations,
        )

    def _refuted(self, refutation: _Proof) -> Judgement:
        return Judgement(
            Verdict.REFUTED,
            refutation.confidence,
            refutation.method,
            Support.CONTRADICTED,
            refutation.explanation,
            (refutation.evidence,),
            tuple(dict.fromkeys(self.violations)),
            unsupported=self._in_answer(refutation.differing),
        )

    def _in_answer(self, check: NumberCheck | None) -> tuple[Span, ...]:
        """Where the differing number stands in the answer."""
        given = self.claim.given
        at = given.text.find(check.claimed.text) if check is not None else -1
        return locate(given, Span(at, at + len(check.claimed.text))) if check is not None and at >= 0 else ()

    def _unsettled(self) -> Judgement:
        share, line, _ = self.compared.ranked[0] if self.compared.ranked else (0.0, None, None)
        unsure = levels.UNSETTLED
        violations = tuple(dict.fromkeys(self.violations))
        if line is None or share < PARTIAL_COVERAGE:
            reasons = self.doubts or [self._nothing_found(line)]
            text = " ".join(dict.fromkeys(reasons))
            return Judgement(Verdict.INSUFFICIENT, unsure, "none", Support.NONE, text, violations=violations)
        reasons = list(dict.fromkeys(self.doubts)) or [self._lacking(line)]
        text = f"{' '.join(reasons)} The closest place: {quoted(line.text)}"
        evidence = (_cite(line, Stance.NEUTRAL),)
        return Judgement(Verdict.INSUFFICIENT, unsure, "none", Support.PARTIAL, text, evidence, violations)

    def _nothing_found(self, line: PassageSentence | None) -> str:
        missing = self.claim.missing(line.roots if line else frozenset())
        return f"No source mentions {list_words(missing)}." if missing else "No source speaks of this."

    def _lacking(self, line: PassageSentence) -> str:
        missing = self.claim.missing(line.roots)
        if missing:
            return f"The source does not mention {list_words(missing)}."
        return "The source has these words, but does not plainly state this."


def _is_flat(denial: str) -> bool:
    """Whether a denial says that something is not so, and not merely that it is unproven ("no evidence", "doubts")."""
    return not re.search(
        r"\b(?:evidence|proof|doubt\w*|disput\w*|den(?:y|ies|ied)|reason|basis|sign|clear|show|prove|mean|unlikely)\b",
        denial,
    )


def _locate(words: str, text: str) -> Span:
    start = text.find(words)
    return Span(start, start + len(words)) if start >= 0 else Span(0, 0)


def _cite(line: PassageSentence, stance: Stance) -> Evidence:
    return Evidence.cite(line.document, line.span.start, line.span.end, stance=stance)
