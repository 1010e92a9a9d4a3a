"""pandas: a frame of answers checked row by row, and claim by claim.

pip install 'assay-check[pandas]'
"""

import pandas as pd

import assay.integrations.pandas  # noqa: F401 - registers frame.assay

frame = pd.DataFrame(
    {
        "question": ["How high is Mount Everest?"] * 2,
        "answer": ["Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."],
        "contexts": [["Mount Everest is 8,849 m high. It was first climbed in 1953."]] * 2,
    }
)
print(frame.join(frame.assay.check())[["answer", "verdict", "score"]])
print(frame.assay.claims()[["row", "claim", "verdict", "quote"]])
