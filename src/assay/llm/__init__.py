"""Text generators: one small Protocol, and those that are shipped (openai, anthropic, local, extractive, scripted)."""

from assay.llm.scripted import Scripted
from assay.llm.specs import make_generator
from assay.llm.values import Completion, Generator, Message, Schema, TokenLogprob

__all__ = ["Completion", "Generator", "Message", "Schema", "Scripted", "TokenLogprob", "make_generator"]
