import pytest

pytest.importorskip("guardrails", reason="pip install 'assay-check[guardrails]', or make test-frameworks")
from guardrails import Guard
from guardrails.errors import ValidationError
from guardrails.settings import settings

from assay.errors import UsageError
from assay.integrations.guardrails import GroundedValidator

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
settings.rc.enable_metrics = False  # Guardrails AI reports to its makers otherwise
METADATA = {"sources": [SOURCE], "question": "How high is Mount Everest?"}


def test_a_guard_lets_a_grounded_text_through_and_says_what_is_wrong_with_another():
    guard = Guard().use(GroundedValidator(judge="lexical", on_fail="noop"))
    assert guard.validate(RIGHT, metadata=METADATA).validation_passed
    found = guard.validate(WRONG, metadata=METADATA)
    assert not found.validation_passed
    [summary] = found.validation_summaries
    assert "8,849 m" in summary.failure_reason
    [span] = summary.error_spans
    assert WRONG[span.start : span.end] == WRONG.rstrip(".") or WRONG[span.start : span.end] == WRONG


def test_a_guard_raises_when_it_is_to():
    with pytest.raises(ValidationError, match="not supported by the sources"):
        Guard().use(GroundedValidator(judge="lexical", on_fail="exception")).validate(WRONG, metadata=METADATA)


def test_a_guard_puts_a_wrong_value_right():
    fixed = Guard().use(GroundedValidator(judge="lexical", on_fail="fix")).validate(WRONG, metadata=METADATA)
    assert fixed.validated_output == RIGHT


def test_sources_may_be_given_once_and_none_at_all_is_an_error():
    assert Guard().use(GroundedValidator([SOURCE], judge="lexical", on_fail="noop")).validate(RIGHT).validation_passed
    with pytest.raises(UsageError, match="nothing to check against"):
        GroundedValidator(judge="lexical")._validate(RIGHT, {})
