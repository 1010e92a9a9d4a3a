"""
title: Assay
description: Checks each answer against the sources it was written from, and says what they do not support.
required_open_webui_version: 0.5.0
requirements: assay-check[openwebui]
"""

# Admin panel, Functions, "+": paste this file, save it, and switch it on globally or for a model with knowledge.
from assay.integrations.openwebui import Filter

__all__ = ["Filter"]
