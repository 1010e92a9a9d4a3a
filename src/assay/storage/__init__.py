"""Databases: one schema, one list of migrations and one base for every store, on SQLite and PostgreSQL.

Nothing is imported here, so that asking whether a place is a PostgreSQL address loads no database toolkit.
"""
