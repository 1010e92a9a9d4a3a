"""The filter against Open WebUI's published interface; its package needs gigabytes, so its loader is imitated."""

import asyncio
import copy
import re
import types
from pathlib import Path

import pytest

pytest.importorskip("pydantic", reason="pip install 'assay-check[openwebui]'")
from assay.integrations.openwebui import Filter, documents_of

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."
EXAMPLE = Path(__file__).parents[2] / "examples" / "integrations" / "openwebui_filter.py"


def body(text, sources=None):
    cited = [{"source": {"name": "guide.md"}, "document": [SOURCE], "metadata": [{"page": 3}]}]
    answer = {"role": "assistant", "content": text, "sources": cited if sources is None else sources}
    return {"messages": [{"role": "user", "content": "How high is Everest?"}, answer]}


def run(given, on_fail="note"):
    made, events = Filter(), []
    made.valves = Filter.Valves(judge="lexical", on_fail=on_fail)

    async def emit(event):
        events.append(event)

    return asyncio.run(made.outlet(copy.deepcopy(given), __event_emitter__=emit)), events


def test_a_wrong_answer_gets_a_note_and_a_right_one_stays():
    found, events = run(body(WRONG))
    assert found["messages"][-1]["content"].startswith(f"{WRONG}\n\n---\n**Not supported by the sources:**")
    assert "8,849 m" in found["messages"][-1]["content"]
    assert events == [{"type": "status", "data": {"description": "Assay: REFUTED", "done": True}}]
    assert run(body(RIGHT))[0] == body(RIGHT)


def test_a_wrong_answer_is_withheld_when_asked():
    found, _ = run(body(WRONG), on_fail="block")
    assert found["messages"][-1]["content"].startswith("The answer was withheld")


def test_plain_chats_are_left_alone():
    for given in (body(WRONG, sources=[]), {"messages": []}, {"messages": body(WRONG)["messages"][:1]}):
        assert run(given) == (given, [])


def test_citations_become_documents():
    [found] = documents_of(body(RIGHT)["messages"][-1]["sources"])
    assert found == {"text": SOURCE, "source": "guide.md", "page": 3}


def test_the_example_is_a_function_that_open_webui_can_load():
    content = EXAMPLE.read_text()
    assert content.splitlines()[0] == '"""'  # where Open WebUI looks for title and requirements
    assert re.search(r"^requirements: assay-check\[openwebui\]$", content, re.MULTILINE)
    module = types.ModuleType("function_assay")
    exec(content, module.__dict__)
    assert module.Filter().valves.on_fail == "note"
