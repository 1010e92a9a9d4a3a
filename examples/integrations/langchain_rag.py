"""LangChain: a retrieval chain over a memory, its answer checked by a step and by a callback.

pip install 'assay-check[langchain]'
"""

from tempfile import TemporaryDirectory

from langchain_core.language_models import FakeListChatModel  # yours: init_chat_model("...")
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from assay import Document, Memory
from assay.integrations.langchain import GroundingCallback, retriever, verifier

model = FakeListChatModel(responses=["Mount Everest is 8,489 m high. It was first climbed in 1953."])
prompt = ChatPromptTemplate.from_template("Answer from the context.\n\n{context}\n\nQuestion: {question}")

with TemporaryDirectory() as folder, Memory(folder) as memory:
    memory.add([Document("guide.md", "Mount Everest is 8,849 m high. It was first climbed in 1953.")])

    found = {"context": retriever(memory, k=3), "question": RunnablePassthrough()}
    chain = found | RunnablePassthrough.assign(answer=prompt | model) | verifier()
    print(chain.invoke("How high is Mount Everest?")["report"])

    callback = GroundingCallback(on_report=lambda report: print("callback:", report.verdict.value))
    (found | prompt | model).invoke("How high is Mount Everest?", config={"callbacks": [callback]})
