import pytest

pytest.importorskip("pandas", reason="pip install 'assay-check[pandas]', or make test-frameworks")
import pandas as pd

import assay.integrations.pandas  # noqa: F401
from assay.errors import UsageError

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."


def frame():
    rows = [(RIGHT, [SOURCE], "How high?"), (WRONG, [SOURCE], None), (OPINION, [SOURCE], float("nan"))]
    return pd.DataFrame(rows, columns=["response", "contexts", "question"], index=[10, 20, 30])


def test_a_frame_of_answers_is_checked_row_by_row():
    given = frame()
    found = given.assay.check(judge="lexical")
    assert list(found.index) == [10, 20, 30]
    assert list(found.verdict) == ["SUPPORTED", "REFUTED", "NOT_CHECKABLE"]
    assert list(found.grounded) == [True, False, None]
    assert found.score.dropna().tolist() == [1.0, 0.0]
    assert "8,849" in given.join(found).loc[20, "reason"]


def test_claims_are_rows_with_their_proof():
    found = frame().assay.claims(judge="lexical")
    wrong = found[found.verdict == "REFUTED"].iloc[0]
    assert (wrong.row, wrong.document) == (20, "context-1")
    assert wrong.quote in SOURCE


def test_columns_may_be_named_and_a_missing_one_is_named():
    given = pd.DataFrame({"said": [RIGHT], "pages": [SOURCE]})
    assert given.assay.check(answer="said", context="pages", judge="lexical").grounded.tolist() == [True]
    with pytest.raises(UsageError, match="there is no answer"):
        given.assay.check(judge="lexical")


def test_an_empty_frame_gives_empty_frames():
    given = frame().iloc[:0]
    assert list(given.assay.check(judge="lexical").columns) == ["verdict", "grounded", "score", "confidence", "reason"]
    assert given.assay.claims(judge="lexical").empty
