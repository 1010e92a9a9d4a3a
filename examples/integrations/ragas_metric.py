"""RAGAS: groundedness of samples without a language model, and the full reports on the same data set.

pip install 'assay-check[ragas]'
"""

from ragas import EvaluationDataset

from assay import check_many
from assay.integrations.ragas import Groundedness, rows_of

context = "Mount Everest is 8,849 m high. It was first climbed in 1953."
samples = [
    {"user_input": "How high is Mount Everest?", "retrieved_contexts": [context], "response": response}
    for response in ("Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high.")
]
for result in Groundedness().batch_score(samples):
    print(result.value, result.reason)
for report in check_many(rows_of(EvaluationDataset.from_list(samples))):
    print(report)
