"""Questions in everyday words to a memory of house rules: what it knows is answered, what it does not know is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.memory import Memory
from assay.repair import Asked, ask

VISIT = """\
# Visiting the Harbour Museum

The Harbour Museum opens at ten and closes at six. On Thursdays it stays open until nine in the evening. It is closed on
Mondays, except on public holidays.

## Bags and coats

Bags larger than a sheet of A4 paper must be left in the lockers next to the ticket desk. A locker takes a coin of one
euro, which is given back.

## Photography

Visitors may take photographs for private use, but flash and tripods are not allowed. Commercial filming needs a written
permit from the press office.

## Groups

Groups of ten or more must book at least two weeks in advance. A guided tour takes 75 minutes and costs 90 euros.

## Café

The café on the ground floor serves lunch from noon until three. Own food may be eaten only in the courtyard.

## Getting around

- All floors can be reached by lift
- Wheelchairs are lent free of charge at the ticket desk
"""
PRICES = """\
# Ticket prices

| Ticket | Price | Valid for |
| --- | --- | --- |
| Adult | 12 euros | one day |
| Student | 8 euros | one day |
| Annual pass | 45 euros | twelve months |

Tickets can be bought at the desk or online. Online tickets are not refunded.
"""


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("handbook")
    (folder / "visit.md").write_text(VISIT)
    (folder / "prices.md").write_text(PRICES)
    with Memory(tmp_path_factory.mktemp("memory")) as memory:
        memory.add([folder])
        yield memory


@pytest.fixture(scope="module")
def everest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory(tmp_path_factory.mktemp("everest")) as memory:
        memory.add([Path("examples/everest/sources")])
        yield memory


def first_line(asked: Asked) -> str:
    assert asked.answer is not None, (asked.draft, asked.abstention)
    return asked.answer.splitlines()[0].partition(" [cite:")[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When does the museum open?", "The Harbour Museum opens at ten and closes at six."),
        ("May I take photographs with flash?", "flash and tripods are not allowed."),
        ("Where do I leave a large bag?", "must be left in the lockers next to the ticket desk."),
        ("How much is a ticket for a student?", "Ticket: Student; Price: 8 euros; Valid for: one day"),
        ("How long is a guided tour?", "A guided tour takes 75 minutes"),
        ("How early must a group book?", "at least two weeks in advance."),
        ("When can I have lunch at the café?", "serves lunch from noon until three."),
        ("Can I borrow a wheelchair?", "Wheelchairs are lent free of charge at the ticket desk"),
        ("Can I get my money back for an online ticket?", "Online tickets are not refunded."),
    ],
)
def test_what_the_memory_knows_leads_the_answer(question: str, answer: str, handbook: Memory) -> None:
    assert answer in first_line(ask(question, memory=handbook))


@pytest.mark.parametrize(
    "question",
    [
        "Who designed the building?",
        "Can I rent the museum for a wedding?",
        "How many people visit the museum each year?",
        "Does the shop sell postcards?",
    ],
)
def test_what_the_memory_does_not_know_is_not_answered(question: str, handbook: Memory) -> None:
    asked = ask(question, memory=handbook)
    assert asked.answer is None
    assert asked.abstention is not None
    assert "do not answer it" in asked.abstention.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who first climbed Mount Everest?", "Edmund Hillary, a beekeeper from New Zealand, and Tenzing Norgay"),
        ("How high is Mount Everest?", "Mount Everest is 8,849 m high"),
        ("What is Everest called in Nepali?", "In Nepali the mountain is called Sagarmatha"),
        ("Who climbed Everest without oxygen first?", "Reinhold Messner and Peter Habeler were the first"),
    ],
)
def test_the_demo_sources_answer_with_the_right_sentence_first(question: str, answer: str, everest: Memory) -> None:
    assert answer in first_line(ask(question, memory=everest))
