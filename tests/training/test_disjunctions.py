import pytest

from training.disjunctions import in_doubt
from training.rows import Row


@pytest.mark.parametrize(
    ("premise", "claim", "label", "kept"),
    [
        ("It is a palace or a kiosk.", "It is a palace.", "SUPPORTED", False),
        ("He was a forward.", "He was a midfielder or forward.", "INSUFFICIENT", False),
        ("He played and sang.", "He sang.", "SUPPORTED", True),
        ("It is not a palace or a kiosk.", "It is not a palace.", "SUPPORTED", True),
        ("It is a palace or a kiosk.", "It is a mill.", "REFUTED", True),
        ("The orchestra toured.", "The orchestra toured and recorded.", "INSUFFICIENT", True),
    ],
)
def test_only_a_rule_s_word_on_one_side_of_an_or_is_taken_back(premise, claim, label, kept):
    found = in_doubt(Row(premise, claim, label, "conjnli"))
    assert found.label == (label if kept else "UNDECIDED")
    assert (found.premise, found.hypothesis) == (premise, claim)
