"""What one judgement takes: the limits for whoever hands claims to a judge directly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.claims.lines import cut_long
from assay.errors import ContractError
from assay.policy import CLAIM_MAX_TOKENS, PASSAGE_MAX_TOKENS, QUESTION_MAX_TOKENS, Policy
from assay.text.tokens import count_tokens
from assay.types import Claim, Passage

MOST_PASSAGES = 5


def check_contract(
    claims: Sequence[Claim], passages: Sequence[Sequence[Passage]], question: str | None, policy: Policy
) -> None:
    """Refuses input beyond the limits, saying which limit and what was given."""
    if len(claims) != len(passages):
        raise ContractError(
            f"{len(claims)} claims came with passages for {len(passages)}; give one list for each claim"
        )
    if question is not None and (size := count_tokens(question)) > QUESTION_MAX_TOKENS:
        raise ContractError(
            f"the question has {size} tokens and one judgement takes at most {QUESTION_MAX_TOKENS}: shorten it"
        )
    most = max(MOST_PASSAGES, policy.passages_per_claim)
    for claim, given in zip(claims, passages, strict=True):
        if not claim.checkable:
            continue
        if (size := count_tokens(claim.text)) > CLAIM_MAX_TOKENS:
            raise ContractError(
                f"the claim {_start(claim.text)} has {size} tokens and one judgement takes at most "
                f"{CLAIM_MAX_TOKENS}: split it into claims first"
            )
        if len(given) > most:
            raise ContractError(
                f"the claim {_start(claim.text)} came with {len(given)} passages; one judgement takes at most {most} "
                "(policy field passages_per_claim): give the best ones"
            )
        for passage in given:
            if (size := count_tokens(passage.text)) > PASSAGE_MAX_TOKENS:
                raise ContractError(
                    f"a passage of {passage.document_id} has {size} tokens and one judgement takes at most "
                    f"{PASSAGE_MAX_TOKENS}: cut it into passages first"
                )


def fit(
    passages: Sequence[Sequence[Passage]],
    question: str | None,
    policy: Policy,
    most_tokens: int = PASSAGE_MAX_TOKENS,
) -> tuple[list[list[Passage]], str | None, tuple[str, ...]]:
    """Passages and a question cut to the limits, with a warning for what was cut."""
    warnings = []
    if question is not None and count_tokens(question) > QUESTION_MAX_TOKENS:
        _, end = next(cut_long(question, 0, len(question), QUESTION_MAX_TOKENS))
        question = question[:end]
        warnings.append(f"the question was cut to {QUESTION_MAX_TOKENS} tokens")
    fitted = [[_cut(passage, most_tokens) for passage in given[: policy.passages_per_claim]] for given in passages]
    if any(
        one.end < other.end
        for mine, given in zip(fitted, passages, strict=True)
        for one, other in zip(mine, given, strict=False)
    ):
        warnings.append(f"passages were cut to {most_tokens} tokens")
    return fitted, question, tuple(warnings)


def _cut(passage: Passage, most_tokens: int) -> Passage:
    if count_tokens(passage.text) <= most_tokens:
        return passage
    _, end = next(cut_long(passage.document.text, passage.start, passage.end, most_tokens))
    return replace(passage, end=end)


def _start(text: str) -> str:
    return f"“{text[:40]}…”" if len(text) > 40 else f"“{text}”"
