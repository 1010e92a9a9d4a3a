import asyncio

import pytest

pytest.importorskip("langchain_core", reason="pip install 'assay-check[langchain]', or make test-frameworks")
from langchain_core.documents import Document as Piece
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from assay import Verdict
from assay.engine import Engine
from assay.errors import UsageError
from assay.integrations.langchain import documents_of, retriever, verifier
from assay.memory import Memory
from assay.types import Document, Mark

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
ENGINE = Engine(judge="lexical")


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path, embedder="static") as opened:
        opened.add([Document("guide.md", SOURCE, title="Guide", headings=(Mark(0, "Everest"),))])
        yield opened


def test_a_chain_over_a_memory_ends_with_a_report(memory):
    model = FakeListChatModel(responses=["Mount Everest is 8,489 m high."])
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    found = {"context": retriever(memory), "question": RunnablePassthrough()}
    chain = found | RunnablePassthrough.assign(answer=prompt | model) | verifier(ENGINE)
    got = chain.invoke("How high is Mount Everest?")
    assert got["question"] == "How high is Mount Everest?"
    assert got["report"].question == got["question"]
    [finding] = got["report"].claims
    assert finding.verdict is Verdict.REFUTED
    receipt = finding.evidence[0]
    assert (receipt.document, receipt.heading) == ("guide.md", "Everest")
    assert got["context"][0].page_content[receipt.start : receipt.end] == receipt.quote


def test_passages_say_where_they_stand(memory):
    [piece] = retriever(memory, k=1).invoke("How high is Everest?")
    known = piece.metadata
    assert SOURCE[known["start"] : known["end"]] == piece.page_content
    assert (known["source"], known["title"], known["heading"]) == ("guide.md", "Guide", "Everest")


def test_batches_and_async_chains_work():
    rows = [
        {"answer": text, "context": SOURCE} for text in ("Everest was first climbed in 1953.", "It is 8,489 m high.")
    ]
    step = verifier(ENGINE)
    verdicts = [row["report"].verdict for row in step.batch(rows)]
    assert verdicts[0] is Verdict.SUPPORTED
    assert [row["report"].verdict for row in asyncio.run(step.abatch(rows))] == verdicts


def test_pieces_of_one_file_keep_their_names_apart_and_their_pages():
    pieces = [Piece(page_content=SOURCE, metadata={"source": "a.pdf", "page": page}) for page in (3, 4)]
    first, second = documents_of([*pieces])
    assert first.id != second.id
    assert (first.page_at(0), second.page_at(0)) == (3, 4)
    assert documents_of(Piece(page_content="x", metadata={"page": 0, "page_label": "12"}))[0].page_at(0) == 12
    assert documents_of(Piece(page_content="x", metadata={"page_label": "iv"}))[0].page_at(0) is None


def test_the_message_of_a_model_is_an_answer_in_parts_too():
    parts = [{"type": "text", "text": "Everest was "}, {"type": "text", "text": "first climbed in 1953."}]
    got = verifier(ENGINE).invoke({"answer": AIMessage(content=parts), "context": [SOURCE], "input": "When?"})
    assert got["report"].verdict is Verdict.SUPPORTED
    assert got["report"].question == "When?"


def test_a_step_in_the_wrong_place_says_what_it_wants():
    with pytest.raises(UsageError, match="'answer', 'context'"):
        verifier(ENGINE).invoke({"text": "x"})
