from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import GeneratorError, UsageError
from assay.llm import Completion, Generator, Message, Scripted, make_generator
from assay.llm.prices import FREE, Price, find_price, load_prices, total_usd
from assay.llm.prompt import Prompt, load_prompt
from assay.llm.waiting import run

ASK = [Message("user", "How high is Everest?")]


def test_a_message_comes_from_a_known_role() -> None:
    with pytest.raises(ValueError, match="not from 'tool'"):
        Message("tool", "x")


def test_a_script_is_said_in_order_and_then_runs_out() -> None:
    scripted = Scripted(["one", Completion("two", "m", cost_usd=0.5), lambda messages: messages[-1].content])
    assert [run(scripted.complete(ASK)).text for _ in range(3)] == ["one", "two", "How high is Everest?"]
    with pytest.raises(GeneratorError, match="3 replies"):
        run(scripted.complete(ASK))
    assert len(scripted.calls) == 4


def test_a_scripted_exception_is_raised() -> None:
    with pytest.raises(TimeoutError):
        run(Scripted([TimeoutError()]).complete(ASK))


def test_a_scripted_stream_gives_back_every_character() -> None:
    text = "Everest is\n8,849 m high. \n"

    async def collect() -> list[str]:
        return [piece async for piece in Scripted([text]).stream(ASK)]

    pieces = run(collect())
    assert len(pieces) > 3
    assert "".join(pieces) == text


def test_every_shipped_generator_is_one() -> None:
    assert isinstance(Scripted("x"), Generator)
    assert isinstance(make_generator("extractive"), Generator)
    assert isinstance(make_generator("openai:m@http://127.0.0.1:1/v1"), Generator)
    assert isinstance(make_generator("anthropic:m"), Generator)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gpt-4", "there is no generator 'gpt-4'"),
        ("openai:", "names no model"),
        ("local:", "names no file"),
        ("extractive:big", "takes no model"),
        ("local:/nowhere/model.gguf", "there is no model file"),
        ("scripted:/nowhere.txt", "cannot read the script"),
    ],
)
def test_a_wrong_spec_says_what_is_wrong(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_generator(spec)


def test_an_address_is_told_from_an_at_sign_in_the_model_name() -> None:
    generator = make_generator("openai:org@model@http://127.0.0.1:8000/v1")
    assert generator.name == "openai:org@model"
    assert generator.base_url == "http://127.0.0.1:8000/v1"  # type: ignore[attr-defined]


def test_scripts_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "replies.txt").write_text("one\n---\ntwo\n")
    (tmp_path / "replies.json").write_text(json.dumps(["one", "two"]))
    (tmp_path / "bad.json").write_text('{"one": 1}')
    for name in ("replies.txt", "replies.json"):
        scripted = make_generator(f"scripted:{tmp_path / name}")
        assert [run(scripted.complete(ASK)).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(UsageError, match="a JSON list of texts"):
        make_generator(f"scripted:{tmp_path / 'bad.json'}")


def test_the_door_refuses_to_wait_for_itself() -> None:
    async def inside() -> None:
        run(Scripted("x").complete(ASK))

    with pytest.raises(RuntimeError, match="its own event loop"):
        run(inside())


def test_prices_go_by_the_name_a_date_behind_it_aside() -> None:
    table = load_prices()
    for model in ("gpt-4o-mini", "gpt-4o-mini-2024-07-18"):
        assert find_price("openai", model, table=table) == table["openai"]["gpt-4o-mini"]
    assert find_price("anthropic", "claude-sonnet-4-20250514") == table["anthropic"]["claude-sonnet-4"]
    assert find_price("openai", "own-model", own_server=True, table=table) == FREE


@pytest.mark.parametrize("model", ["unheard-of", "gpt-5-pro", "gpt-4o-mini-x", "claude-opus-4-9"])
def test_a_model_that_is_not_listed_has_no_price(model: str) -> None:
    assert find_price("openai", model) is None
    assert find_price("anthropic", model) is None


def test_every_shipped_price_says_of_when_it_is() -> None:
    prices = [price for models in load_prices().values() for price in models.values()]
    assert all(re.fullmatch(r"20\d\d-(?:0[1-9]|1[0-2])", price.as_of) for price in prices)


def test_a_sum_with_an_unknown_cost_is_unknown() -> None:
    assert total_usd([0.5, 0.25]) == 0.75
    assert total_usd([0.5, None]) is None
    assert total_usd([]) == 0.0


def test_a_price_table_of_ones_own_comes_over_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "prices.toml"
    own.write_text('[openai]\n"mine" = { prompt = 1, completion = 2 }\n')
    monkeypatch.setenv("ASSAY_PRICES", str(own))
    assert find_price("openai", "mine") == Price(1.0, 2.0)
    assert find_price("openai", "gpt-4o") == Price(2.5, 10.0, "2024-10")
    own.write_text("[openai]\nmine = 3\n")
    with pytest.raises(UsageError, match="needs the form"):
        find_price("openai", "mine")


def test_prompts_are_known_by_version_and_hash() -> None:
    prompt = load_prompt("judge")
    assert prompt.id == f"judge.v{prompt.version}:{prompt.sha256[:8]}"
    assert load_prompt("judge", 1).version == 1
    with pytest.raises(LookupError, match="of version 99"):
        load_prompt("judge", 99)
    with pytest.raises(LookupError, match="no prompt 'nothing'"):
        load_prompt("nothing")


def test_a_value_with_a_dollar_sign_is_not_filled_in_again() -> None:
    system, user = Prompt("p", 1, "Say $a.\n=== user ===\n$b").fill(a="$b", b="five $")
    assert (system.content, user.content) == ("Say $b.", "five $")


def test_importing_the_room_imports_no_sdk() -> None:
    code = (
        "import sys, assay.llm; print([m for m in ('openai', 'anthropic', 'xllamacpp', 'numpy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
