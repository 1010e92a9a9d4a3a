"""Guardrails AI: a guard that puts a wrong value right from the sources.

pip install 'assay-check[guardrails]'
"""

from guardrails import Guard

from assay.integrations.guardrails import GroundedValidator

guard = Guard().use(GroundedValidator(on_fail="fix"))
outcome = guard.validate(
    "Mount Everest is 8,489 m high.",
    metadata={"sources": ["Mount Everest is 8,849 m high."], "question": "How high is Mount Everest?"},
)
print(outcome.validated_output)
print(outcome.validation_summaries[0].failure_reason)
