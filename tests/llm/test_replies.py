"""Replies as models really write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import GeneratorError, UsageError
from assay.llm import make_generator
from assay.llm.replies import locate_quote, read_object, read_share
from assay.llm.specs import load_short_names, resolve_model

OBJECT = '{"verdict": "SUPPORTED", "support": 0.9}'


@pytest.mark.parametrize(
    "said",
    [
        OBJECT,
        f"Sure! Here is my assessment:\n\n{OBJECT}\n\nLet me know if you need more.",
        f"```json\n{OBJECT}\n```",
        f"Some words first.\n```\n{OBJECT}\n```\nand after.",
        f'<think>Maybe {{"verdict": "REFUTED"}}? No.</think>\n{OBJECT}',
        f'First I thought {{"verdict": "REFUTED"}}, but: {OBJECT}',
        f'{OBJECT} {{"note": 1}}',
    ],
)
def test_the_object_is_found_whatever_stands_around_it(said: str) -> None:
    assert read_object(said, ("verdict",)) == json.loads(OBJECT)


@pytest.mark.parametrize("said", ["", "no", "[1, 2]", '{"verdict": ', "<think>{}", '{"other": 1}'])
def test_what_is_not_there_is_an_error(said: str) -> None:
    with pytest.raises(GeneratorError, match="cannot be used"):
        read_object(said, ("verdict",))


@pytest.mark.parametrize(
    ("value", "share"),
    [(0.5, 0.5), (1, 1.0), ("0.9", 0.9), (" .5 ", 0.5), ("85%", 0.85), (1.5, None), ("-1", None), (None, None)],
)
def test_numbers_may_be_text(value: object, share: float | None) -> None:
    assert read_share(value) == share


def test_a_quote_may_leave_words_out_but_not_change_any() -> None:
    text = "The old mill, by the river, was built\nin 1900 by two brothers. The new mill is larger."
    start, end = locate_quote("the old mill ... was built in 1900", text) or (0, 0)
    assert text[start:end] == "The old mill, by the river, was built\nin 1900"
    assert locate_quote("“by two brothers …”", text) is not None
    assert locate_quote("The old mill [...] was built in 1901", text) is None
    assert locate_quote("was built … The old mill", text) is None
    assert locate_quote(" … ", text) is None
    assert locate_quote("one … two", "one " + "x " * 400 + "two") is None  # two places are not one quote


@given(st.text(max_size=80), st.text(max_size=40))
def test_a_quote_is_found_inside_the_text_or_not_at_all(text: str, quote: str) -> None:
    place = locate_quote(quote, text)
    assert place is None or 0 <= place[0] < place[1] <= len(text)


def test_short_names_come_from_a_table_that_can_be_edited(tmp_path, monkeypatch) -> None:
    assert resolve_model("haiku").startswith("anthropic:")
    assert make_generator("haiku").name == resolve_model("haiku")
    own = tmp_path / "models.toml"
    own.write_text('haiku = "openai:tiny@http://localhost:1"\nhouse = "extractive"\n', encoding="utf-8")
    monkeypatch.setenv("ASSAY_MODELS", str(own))
    assert make_generator("haiku").name == "openai:tiny"
    assert make_generator("house").name == "extractive"
    assert "sonnet" in load_short_names()  # the shipped ones stay
    with pytest.raises(UsageError, match="short name"):
        make_generator("unheard-of")
    own.write_text("haiku = 3\n", encoding="utf-8")
    with pytest.raises(UsageError, match="provider:model"):
        make_generator("haiku")
