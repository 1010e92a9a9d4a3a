"""Text as the rest of Assay reads it: normal forms with a way back, sentences, words."""

from assay.text.normalise import Mapped, fold, normalise, strip_markup
from assay.text.sentences import SentenceSpan, split_sentences
from assay.text.tokens import STOP_WORDS, WordToken, content_words, count_tokens, stem, tokenize

__all__ = [
    "STOP_WORDS",
    "Mapped",
    "SentenceSpan",
    "WordToken",
    "content_words",
    "count_tokens",
    "fold",
    "normalise",
    "split_sentences",
    "stem",
    "strip_markup",
    "tokenize",
]
