"""DSPy: a program evaluated for grounding, and asserted so that an ungrounded answer is tried again.

pip install 'assay-check[dspy]'
"""

import dspy
from dspy.utils import DummyLM  # yours: dspy.LM("...")

from assay.integrations.dspy import Grounded, GroundingMetric

context = ["Mount Everest is 8,849 m high. It was first climbed in 1953."]
wrong, right = {"answer": "Mount Everest is 8,489 m high."}, {"answer": "Mount Everest is 8,849 m high."}
dspy.configure(lm=DummyLM([wrong, right, wrong, right]))
program = dspy.Predict("context, question -> answer")

example = dspy.Example(context=context, question="How high is Mount Everest?").with_inputs("context", "question")
print("score:", dspy.Evaluate(devset=[example] * 2, metric=GroundingMetric(), num_threads=1)(program).score)
print("asserted:", Grounded(program, tries=2)(context=context, question="How high is Mount Everest?").answer)
