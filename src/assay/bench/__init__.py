"""Measuring a judge on labelled data."""
