"""The one pipeline: answer → claims → evidence → judgements → findings → report."""

import logging

from assay.engine.pipeline import Engine, Run, acheck, check, check_many, verify
from assay.engine.request import Request, Source

logging.getLogger("assay").addHandler(logging.NullHandler())  # what is logged is the application's to show

__all__ = ["Engine", "Request", "Run", "Source", "acheck", "check", "check_many", "verify"]
