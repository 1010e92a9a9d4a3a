import pytest

pytest.importorskip("haystack", reason="pip install 'assay-check[haystack]', or make test-frameworks")
from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from assay.integrations.haystack import GroundingChecker, GroundingEvaluator

SOURCE = "Mount Everest is 8,849 m high. It was first climbed in 1953."
RIGHT, WRONG = "Mount Everest is 8,849 m high.", "Mount Everest is 8,489 m high."
OPINION = "I think it is beautiful."


@component
class Model:
    """A chat model that says what it is told to."""

    def __init__(self, says: str):
        self.says = says

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        return {"replies": [ChatMessage.from_assistant(self.says)]}


def pipeline(says):
    store = InMemoryDocumentStore()
    store.write_documents([Document(content=SOURCE, meta={"file_path": "guide.md", "page_number": 7})])
    made = Pipeline()
    made.add_component("retriever", InMemoryBM25Retriever(store))
    template = [ChatMessage.from_user("{% for d in documents %}{{ d.content }}{% endfor %} {{ query }}")]
    made.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
    made.add_component("llm", Model(says))
    made.add_component("checker", GroundingChecker(judge="lexical"))
    made.connect("retriever.documents", "prompt.documents")
    made.connect("prompt.prompt", "llm.messages")
    made.connect("llm.replies", "checker.replies")
    made.connect("retriever.documents", "checker.documents")
    return made


def ask(made):
    question = "How high is Mount Everest?"
    given = {"retriever": {"query": question}, "prompt": {"query": question}, "checker": {"query": question}}
    return made.run(given)["checker"]


def test_a_pipeline_sends_a_wrong_reply_the_other_way():
    found = ask(pipeline(WRONG))
    assert [reply.text for reply in found["ungrounded"]] == [WRONG]
    assert "grounded" not in found
    assert "8,849 m" in found["feedback"]
    evidence = found["outcomes"][0]["failing"][0]["evidence"][0]
    assert (evidence["document"], evidence["page"]) == ("guide.md", 7)


def test_a_right_reply_is_grounded_and_sends_no_feedback():
    found = ask(pipeline(RIGHT))
    assert [reply.text for reply in found["grounded"]] == [RIGHT]
    assert found.keys() == {"grounded", "outcomes"}


def test_a_pipeline_is_saved_and_loaded_with_its_checker():
    made = Pipeline()
    made.add_component("checker", GroundingChecker(judge="lexical"))
    loaded = Pipeline.loads(made.dumps(), allowed_modules=["assay.integrations.haystack"])
    found = loaded.run({"checker": {"replies": [WRONG], "documents": [Document(content=SOURCE)]}})["checker"]
    assert found["ungrounded"][0].text == WRONG


def test_the_evaluator_leaves_out_what_has_nothing_to_check():
    evaluator = GroundingEvaluator(judge="lexical")
    found = evaluator.run(["How high?"] * 3, [[SOURCE]] * 3, [RIGHT, WRONG, OPINION])
    assert found["individual_scores"] == [1.0, 0.0, None]
    assert found["score"] == 0.5
    assert evaluator.run([], [], [])["score"] is None
