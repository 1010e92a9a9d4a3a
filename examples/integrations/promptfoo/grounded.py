"""The assertion of promptfooconfig.yaml."""

from assay.integrations.promptfoo import get_assert

__all__ = ["get_assert"]
