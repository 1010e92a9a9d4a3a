"""LlamaIndex: a query engine over a memory, and its response checked against the nodes it was written from.

pip install 'assay-check[llamaindex]'
"""

from tempfile import TemporaryDirectory

from llama_index.core.llms import MockLLM  # yours: OpenAI(...), Ollama(...)
from llama_index.core.query_engine import RetrieverQueryEngine

from assay import Document, Memory
from assay.integrations.llamaindex import check_response, evaluator, retriever

with TemporaryDirectory() as folder, Memory(folder) as memory:
    memory.add([Document("guide.md", "Mount Everest is 8,849 m high. It was first climbed in 1953.")])
    engine = RetrieverQueryEngine.from_args(retriever(memory), llm=MockLLM())
    response = engine.query("How high is Mount Everest?")
    response.response = "Mount Everest is 8,489 m high."  # the mock model only repeats its prompt
    print(check_response(response, "How high is Mount Everest?"))
    print("passing:", evaluator().evaluate_response("How high is Mount Everest?", response).passing)
