"""Haystack: a pipeline whose last component tells grounded replies from others.

pip install 'assay-check[haystack]'
"""

from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from assay.integrations.haystack import GroundingChecker


@component
class Model:
    """Stands for your chat generator."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        return {"replies": [ChatMessage.from_assistant("Mount Everest is 8,489 m high.")]}


store = InMemoryDocumentStore()
store.write_documents([Document(content="Mount Everest is 8,849 m high.", meta={"file_path": "guide.md"})])
template = [ChatMessage.from_user("{% for d in documents %}{{ d.content }}{% endfor %}\nQuestion: {{ query }}")]

pipeline = Pipeline()
pipeline.add_component("retriever", InMemoryBM25Retriever(store))
pipeline.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
pipeline.add_component("llm", Model())
pipeline.add_component("checker", GroundingChecker())
pipeline.connect("retriever.documents", "prompt.documents")
pipeline.connect("prompt.prompt", "llm.messages")
pipeline.connect("llm.replies", "checker.replies")
pipeline.connect("retriever.documents", "checker.documents")

question = "How high is Mount Everest?"
found = pipeline.run({name: {"query": question} for name in ("retriever", "prompt", "checker")})["checker"]
print("ungrounded:", [reply.text for reply in found.get("ungrounded", [])])
print(found["feedback"])
