"""The OpenAI-compatible guard: it stands in front of any upstream, and any OpenAI client works unchanged.

annotate   everything goes through; the verdicts are added
block      a stream stops at the first refuted claim; a whole answer with one is replaced by an abstention
hold       nothing goes out before it is verified; what follows a refuted claim never does
repair     the answer is waited for, brought in line with its sources, and sent
"""
