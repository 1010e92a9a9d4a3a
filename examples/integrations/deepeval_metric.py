"""DeepEval: groundedness as a metric; the same lines stand in a test file for `deepeval test run`.

pip install 'assay-check[deepeval]'
"""

from deepeval.test_case import LLMTestCase

from assay.integrations.deepeval import GroundednessMetric

metric = GroundednessMetric(threshold=1.0)
for answer in ("Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."):
    metric.measure(
        LLMTestCase(
            input="How high is Mount Everest?",
            actual_output=answer,
            retrieval_context=["Mount Everest is 8,849 m high. It was first climbed in 1953."],
        )
    )
    print(metric.is_successful(), metric.score, metric.reason)
