import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges.levels import level_confidence
from assay.types import Support


@pytest.mark.parametrize(
    ("support", "similarities", "inferred", "expected"),
    [
        ("full", [], False, 0.85),
        ("full", [0.5], False, 0.85),
        ("full", [0.85], False, 0.85),
        ("full", [0.86], False, 0.90),
        ("full", [0.5, 0.5], False, 0.90),
        ("full", [0.5] * 4, False, 1.0),
        ("full", [0.5] * 9, False, 1.0),
        ("full", [0.9] * 9, True, 0.95),
        ("partial", [0.5], False, 0.6),
        ("partial", [0.5] * 4, False, 0.75),
        ("partial", [0.5] * 9, False, 0.75),
        ("partial", [0.5], True, 0.5),
        ("contradicted", [0.5], False, 0.85),
        ("none", [], False, 0.0),
        ("none", [0.9, 0.9], False, 0.0),
    ],
)
def test_the_confidence_of_a_level(support, similarities, inferred, expected):
    assert level_confidence(support, similarities, inferred=inferred) == pytest.approx(expected)


@given(st.sampled_from(Support), st.lists(st.floats(0, 1), max_size=8), st.booleans())
def test_it_is_always_a_confidence(support, similarities, inferred):
    assert 0.0 <= level_confidence(support, similarities, inferred=inferred) <= 1.0


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match="maybe"):
        level_confidence("maybe")
