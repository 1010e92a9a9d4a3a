"""The one pipeline: answer → claims → evidence → judgements → findings → report."""

import logging

from assay.engine.pipeline import Engine, Given, Run, acheck, check, check_many, verify
from assay.engine.sources import Source

logging.getLogger("assay").addHandler(logging.NullHandler())  # what is logged is the application's to show

__all__ = ["Engine", "Given", "Run", "Source", "acheck", "check", "check_many", "verify"]
