import pytest

pytest.importorskip("llama_index.core", reason="pip install 'assay-check[llamaindex]', or make test-frameworks")
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeWithScore, TextNode

from assay import Verdict
from assay.engine import Engine
from assay.integrations.llamaindex import check_response, documents_of, evaluator, retriever
from assay.memory import Memory
from assay.types import Document, Mark

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
ENGINE = Engine(judge="lexical")


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path, embedder="static") as opened:
        opened.add([Document("guide.md", SOURCE, title="Guide", headings=(Mark(0, "Everest"),))])
        yield opened


def test_the_answer_of_a_query_engine_is_checked_against_its_nodes(memory):
    class Parrot(MockLLM):
        """A model that gets it wrong."""

        def complete(self, prompt, formatted=False, **_):
            from llama_index.core.llms import CompletionResponse

            return CompletionResponse(text="Mount Everest is 8,489 m high.")

    synthesizer = get_response_synthesizer(llm=Parrot(), response_mode="compact")
    response = RetrieverQueryEngine(retriever(memory), synthesizer).query("How high is Mount Everest?")
    assert str(response) == "Mount Everest is 8,489 m high."
    report = check_response(response, "How high is Mount Everest?", engine=ENGINE)
    [finding] = report.claims
    assert finding.verdict is Verdict.REFUTED
    assert (finding.evidence[0].document, finding.evidence[0].heading) == ("guide.md", "Everest")
    judged = evaluator(ENGINE).evaluate_response("How high is Mount Everest?", response)
    assert (judged.passing, judged.score) == (False, 0.0)
    assert "8,849" in judged.feedback


def test_nodes_say_where_they_stand(memory):
    [found] = retriever(memory, k=1).retrieve("How high is Everest?")
    assert SOURCE[found.node.start_char_idx : found.node.end_char_idx] == found.node.text
    assert found.score is not None


def test_nodes_of_one_file_keep_their_names_apart_and_their_pages():
    nodes = [TextNode(text=SOURCE, metadata={"file_name": "a.pdf", "page_label": page}) for page in ("3", "4")]
    first, second = documents_of([NodeWithScore(node=nodes[0], score=0.5), nodes[1]])
    assert first.id != second.id
    assert (first.page_at(0), second.page_at(0)) == (3, 4)


def test_an_evaluation_counts_what_is_backed():
    judge = evaluator(ENGINE)
    good = judge.evaluate(query="When?", response="It was first climbed in 1953.", contexts=[SOURCE])
    assert (good.passing, good.score) == (True, 1.0)
    nothing = judge.evaluate(response="I think it is beautiful.", contexts=[SOURCE])
    assert (nothing.passing, nothing.score) == (None, None)  # nothing to check is not a pass
