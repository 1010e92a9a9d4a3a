"""One verifier behind both forms: parse the answer, run the rules, decide the audit mode and the rung.

>>> from assay.lattice.evidence_map import EvidenceObject
>>> evidence = [EvidenceObject("E1", "Paris is the capital and largest city of France.", title="Paris")]
>>> result = verify_pointer_answer("Paris is the capital of France. [E1]", evidence)
>>> result.audit_mode.value, result.rung
('STRICT', 'EVIDENCE-WARRANTED')
>>> verify_pointer_answer("Paris is the capital of France. [E9]", evidence).violations[0].kind.value
'UNKNOWN_EVIDENCE_ID'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from assay.errors import AnswerError, PolicyError, UsageError
from assay.lattice.engine_input import claim_of, document_of
from assay.lattice.evidence_map import ALLOWED_ROLES, AnyEvidence, EvidenceMap
from assay.lattice.features import parse_question
from assay.lattice.forms import ParsedAnswer, has_tag, looks_like_json, read_json_answer, read_pointer_answer
from assay.lattice.result import (
    CLAIM_FAILURES,
    PAIR_FAILURES,
    AnswerForm,
    CheckedClaim,
    ClaimStatus,
    LatticeResult,
    Link,
    Violation,
    ViolationKind,
)
from assay.lattice.rules import ANSWER_RULES, NEEDS_QUESTION, OPTIONAL, POINTER_RULES, CitedClaim, RuleInput
from assay.policy import Policy
from assay.types import AuditMode, Stance, Verdict
from assay.views import Rung

if TYPE_CHECKING:
    from assay.engine import Engine

READERS = {AnswerForm.POINTER: read_pointer_answer, AnswerForm.JSON: read_json_answer}

_DEFAULT = Policy()


class LatticeOptions(TypedDict, total=False):
    """What `verify_answer` may be told besides the answer, its evidence, the question and the form."""

    policy: Policy | None
    allowed_roles: Iterable[str]
    engine: Engine | None
    chain_roots: Iterable[str]


def verify_pointer_answer(
    answer: str, evidence: AnyEvidence, question: str | None = None, **options: Unpack[LatticeOptions]
) -> LatticeResult:
    """Verifies an answer of one claim a line with `[E1]` tags."""
    return verify_answer(answer, evidence, question, AnswerForm.POINTER, **options)


def verify_json_answer(
    answer: str, evidence: AnyEvidence, question: str | None = None, **options: Unpack[LatticeOptions]
) -> LatticeResult:
    """Verifies an answer of the form `{"claims": [{"text": …, "evidence_ids": […]}]}`."""
    return verify_answer(answer, evidence, question, AnswerForm.JSON, **options)


def verify_answer(
    answer: str,
    evidence: AnyEvidence,
    question: str | None = None,
    form: AnswerForm | str = AnswerForm.POINTER,
    policy: Policy | None = None,
    allowed_roles: Iterable[str] = ALLOWED_ROLES,
    engine: Engine | None = None,
    chain_roots: Iterable[str] = (),
) -> LatticeResult:
    """Verifies an answer in either form.

    With an `engine`, each linked claim is judged by what it cites as well. `chain_roots` are documents, by `source_id`
    or `source_sha256`, that are known to stay with their subject: there a passage beside the cited one may
    supply a missing anchor.
    """
    if not isinstance(answer, str):
        raise AnswerError(f"an answer is text, not a {type(answer).__name__}")
    if form not in READERS:
        raise UsageError(f"a lattice answer is in the form {' or '.join(READERS)}, not {form!r}")
    if isinstance(chain_roots, str):
        raise UsageError(f"chain_roots is a list of source ids, not the string {chain_roots!r}")
    parsed = READERS[AnswerForm(form)](answer)
    rules = policy or _DEFAULT
    skipped = _skipped(rules)
    shown = EvidenceMap.of(evidence)
    roots = frozenset(chain_roots) - {""}
    given = RuleInput.of(parsed, shown, parse_question(question), rules, frozenset(allowed_roles), roots)
    violations = [v for name, rule in POINTER_RULES.items() if name not in skipped for v in rule(given)]
    claims = _check_claims(given, violations)
    given = replace(given, resolving=tuple(given.claims[claim.idx] for claim in claims if claim.evidence))
    violations += [v for name, rule in ANSWER_RULES.items() if name not in skipped for v in rule(given)]
    complete = False
    if engine is not None:
        entailment = check_entailment(claims, engine)
        violations += entailment.violations
        claims = _unlink(claims, entailment.violations)
        complete = entailment.entailed.issuperset(claim.idx for claim in claims if claim.evidence)
    mode = _decide_mode(claims, violations)
    return LatticeResult(
        form=parsed.form,
        audit_mode=mode,
        rung=_decide_rung(mode, claims, violations, entailed=complete),
        claims=claims,
        # Claims in order, then what concerns the answer as a whole.
        violations=tuple(sorted(violations, key=lambda found: (found.claim_idx is None, found.claim_idx or 0))),
        json_fixups=parsed.fixups,
        warrant_chain_claims=tuple(idx for idx, gap in given.gaps.items() if gap.chained),
        checks_skipped=tuple(dict.fromkeys((*skipped, *(() if given.question else NEEDS_QUESTION)))),
    )


def _skipped(policy: Policy) -> tuple[str, ...]:
    """The checks that the policy leaves out."""
    names = [name.strip().upper() for name in policy.lattice_skip.split(",") if name.strip()]
    for name in names:
        if name not in OPTIONAL:
            raise PolicyError(f"lattice_skip: {name!r} cannot be left out; these can: {', '.join(OPTIONAL)}")
    return tuple(names)


def looks_like_lattice(answer: str, evidence: AnyEvidence) -> AnswerForm | None:
    """The form an answer to this evidence is written in, or None when it cites nothing by pointer."""
    if not EvidenceMap.of(evidence).objects:
        return None
    if looks_like_json(answer):
        return AnswerForm.JSON
    return AnswerForm.POINTER if has_tag(answer) else None


def _check_claims(given: RuleInput, violations: Iterable[Violation]) -> tuple[CheckedClaim, ...]:
    """The claims with the status that the violations leave them."""
    of_claim: dict[int, set[ViolationKind]] = {}
    of_pair: dict[tuple[int, str], ViolationKind] = {}
    for violation in violations:
        if violation.claim_idx is None:
            continue
        if violation.kind in CLAIM_FAILURES:
            of_claim.setdefault(violation.claim_idx, set()).add(violation.kind)
        elif violation.kind in PAIR_FAILURES and violation.pointer_id is not None:
            of_pair[violation.claim_idx, violation.pointer_id] = violation.kind
    return tuple(_check_claim(claim, given.parsed, of_claim.get(claim.idx, set()), of_pair) for claim in given.claims)


def _check_claim(
    claim: CitedClaim, parsed: ParsedAnswer, failures: set[ViolationKind], of_pair: dict[tuple[int, str], ViolationKind]
) -> CheckedClaim:
    whole = next((kind for kind in CLAIM_FAILURES if kind in failures), None)
    links = tuple(
        Link(pointer, item, of_pair.get((claim.idx, pointer), whole))
        for pointer, item in zip(claim.pointers, claim.objects, strict=True)
    )
    span = parsed.claims[claim.idx].span
    return CheckedClaim(claim.idx, claim.text, span, _status(whole, links, claim.trimmed), links, claim.trimmed)


def _status(whole: ViolationKind | None, links: Sequence[Link], trimmed: Sequence[str]) -> ClaimStatus:
    if whole is not None:
        return ClaimStatus(whole.value)
    verified = sum(link.verified for link in links)
    if verified == len(links) and not trimmed:
        return ClaimStatus.EVIDENCE_LINKED
    if verified:
        return ClaimStatus.EVIDENCE_LINKED_PARTIAL
    return ClaimStatus(next(link.failure for link in links if link.failure is not None).value)


def _unlink(claims: tuple[CheckedClaim, ...], refuted: Iterable[Violation]) -> tuple[CheckedClaim, ...]:
    """The claims with the links that the evidence contradicts no longer counted as verified."""
    broken = {(violation.claim_idx, violation.pointer_id): violation.kind for violation in refuted}
    if not broken:
        return claims
    return tuple(
        replace(
            claim,
            links=tuple(
                replace(link, failure=link.failure or broken.get((claim.idx, link.pointer_id))) for link in claim.links
            ),
        )
        for claim in claims
    )


def _decide_mode(claims: Sequence[CheckedClaim], violations: Sequence[Violation]) -> AuditMode:
    """STRICT with something verified and nothing wrong, UNGROUNDED with nothing verified, else HYBRID."""
    mistitled = {violation.claim_idx for violation in violations if violation.kind is ViolationKind.TITLE_MISMATCH}
    if all(claim.idx in mistitled for claim in claims if claim.evidence):  # as when none has evidence
        return AuditMode.UNGROUNDED
    return AuditMode.HYBRID if violations else AuditMode.STRICT


# What keeps an answer with warranted anchors from counting as warranted by its evidence.
_EVIDENCE_DOUBTS = frozenset(
    {
        ViolationKind.TITLE_MISMATCH,
        ViolationKind.SUBJECT_TOKENS_ABSENT,
        ViolationKind.DEFLECTION_DETECTED,
        ViolationKind.LAZY_ANCHOR_DEMOTE,
        ViolationKind.ENTAILMENT_REFUTED,
    }
)


def _decide_rung(
    mode: AuditMode, claims: Sequence[CheckedClaim], violations: Sequence[Violation], *, entailed: bool
) -> str:
    """How far the verified part of the answer is proven; claims that were rejected do not lower it."""
    verified = {None, *(claim.idx for claim in claims if claim.evidence)}
    kinds = {violation.kind for violation in violations if violation.claim_idx in verified}
    if mode is AuditMode.UNGROUNDED:
        return Rung.UNGROUNDED.value
    if ViolationKind.WARRANT_MISSING in kinds:
        step = Rung.POINTER_LINKED
    elif kinds & _EVIDENCE_DOUBTS:
        step = Rung.ANCHOR_WARRANTED
    else:
        step = Rung.ENTAILMENT_VERIFIED if entailed else Rung.EVIDENCE_WARRANTED
    return step.value if mode is AuditMode.STRICT else f"{step.value}-PARTIAL"


# The optional last step: the engine judges each linked claim by what it cites


@dataclass(frozen=True, slots=True)
class EntailmentCheck:
    """The claims that what they cite entails, and those that a cited span refutes."""

    entailed: frozenset[int]
    violations: tuple[Violation, ...]


def check_entailment(claims: Sequence[CheckedClaim], engine: Engine) -> EntailmentCheck:
    """The engine's findings on the linked claims: sure support entails, a sure refutation is a violation."""
    linked = [claim for claim in claims if claim.evidence]
    cited = [[document_of(item) for item in claim.evidence] for claim in linked]
    entailed: set[int] = set()
    violations: list[Violation] = []
    for claim, finding in zip(linked, engine.judge([claim_of(claim) for claim in linked], cited), strict=True):
        if finding.verdict is Verdict.SUPPORTED and finding.confidence >= engine.policy.low_confidence:
            entailed.add(claim.idx)
        if finding.verdict is Verdict.REFUTED and finding.confidence >= engine.policy.halt_confidence:
            against = [item.document for item in finding.evidence if item.stance is Stance.REFUTES]
            for pointer in dict.fromkeys(against or [claim.evidence[0].pointer_id]):
                message = f"{pointer} contradicts the claim ({finding.confidence:.2f})"
                violations.append(
                    Violation(ViolationKind.ENTAILMENT_REFUTED, claim.idx, message, pointer, (claim.idx,))
                )
    return EntailmentCheck(frozenset(entailed), tuple(violations))
