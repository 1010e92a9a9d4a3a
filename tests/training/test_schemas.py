import random
import re
from collections import Counter

import pytest

from training.fillings import PATTERNS, THINGS, VALUES, alike
from training.rows import INSUFFICIENT, LABELS, REFUTED, SUPPORTED
from training.schemas import MAKERS, Made, blocks, follows

BLOCKS = list(blocks(5, 200))


def test_the_seed_decides_every_block():
    assert list(blocks(5, 20)) == BLOCKS[:20]
    assert list(blocks(6, 20)) != BLOCKS[:20]


def test_every_pattern_names_known_things_and_values():
    for one in PATTERNS["attribute"]:
        assert one["things"] in THINGS
        assert one["values"] in VALUES
        assert all("{a}" in text and "{x}" in text for text in (*one["says"], *one["claims"]))
    for one in PATTERNS["relation"]:
        assert one["things"] in THINGS
        assert all("{a}" in text and "{b}" in text for text in (*one["says"], *one["claims"]))
        assert all("{a}" in text and "{b}" in text for text in one.get("more", ()))
    for one in PATTERNS["state"]:
        assert "fill" in one or one["things"] in THINGS
        assert all("{a}" in text for state in one["of"] for text in (*state["says"], *state["claims"]))
    for one in PATTERNS["scope"]:
        assert len(one["fill"]) >= 5
        assert all("{a}" in text for text in (*one["yes"], *one["no"]))


def test_a_rule_decides_other_cases_only_where_it_speaks_of_them():
    assert [follows("only", "5", case) for case in ("5", "6")] == [True, False]
    assert [follows("except", "5", case) for case in ("5", "6")] == [False, True]
    assert [follows("named", "5", case) for case in ("5", "6")] == [True, None]
    assert [follows("banned", "5", case) for case in ("5", "6")] == [False, None]
    assert [follows("below", "9", case) for case in ("8", "9", "10")] == [True, None, False]
    assert [follows("from", "9", case) for case in ("8", "9", "10")] == [False, None, True]


def test_values_that_are_rounded_to_the_same_are_alike():
    assert alike(("8,849 m", "about 29,000 feet"), ("8,800 m", "about 28,900 feet"))
    assert not alike(("8,849 m", "about 29,000 feet"), ("7,000 m", "about 23,000 feet"))
    assert alike(("24 hours", "a day"), ("1 day", "a day"))


def test_places_lie_in_the_text_and_name_what_decides():
    for row in (row for rows in BLOCKS for row in rows):
        assert row["label"] in LABELS
        for start, end in row["evidence"]:
            stretch = row["premise"][start:end]
            assert stretch == stretch.strip()
            assert stretch.endswith((".", "|")) or stretch.startswith("- ")
        for start, end in row.get("wrong", ()):
            assert 0 <= start < end <= len(row["hypothesis"])


def test_all_labels_are_common_and_no_claim_of_a_block_has_two():
    counts = Counter(row["label"] for rows in BLOCKS for row in rows)
    assert min(counts.values()) > 0.15 * sum(counts.values())
    for rows in BLOCKS:
        assert len({row["hypothesis"] for row in rows}) == len(rows)


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_refuted_is_nowhere_said(make):
    for seed in range(150):
        made: Made = make(random.Random(seed))
        supported = {row["hypothesis"] for row in made.rows if row["label"] == SUPPORTED}
        others = {row["hypothesis"] for row in made.rows if row["label"] != SUPPORTED}
        assert not supported & others


def test_a_stranger_is_not_mentioned():
    found = 0
    for rows in BLOCKS:
        for row in rows:
            if row["kind"] == "schema_stranger" and "wrong" in row:
                start, end = row["wrong"][0]
                name = row["hypothesis"][start:end]
                assert row["label"] == INSUFFICIENT
                assert (
                    not re.search(rf"\b{re.escape(name)}\b", row["premise"].split("\n\n")[0])
                    or "\n\n" in row["premise"]
                )
                found += 1
    assert found > 50


def test_a_swapped_value_belongs_to_another_thing():
    found = 0
    for rows in BLOCKS:
        for row in rows:
            (start, end) = row["evidence"][0]
            told = row["premise"][start:end]
            single = len(row["evidence"]) == 1 and not any(mark in told for mark in ("|", " and ", ",", ";", " but "))
            if row["kind"] == "schema_swap" and single:
                (start, end), (first, last) = row["evidence"][0], row["wrong"][0]
                assert row["label"] == REFUTED
                value, said = row["hypothesis"][first:last], row["premise"][start:end]
                assert not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said, re.IGNORECASE)
                found += 1
    assert found > 20
