"""Measures a judge or the whole engine: on labelled data, on the written set, on mutated sentences of own sources."""
