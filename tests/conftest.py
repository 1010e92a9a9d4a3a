"""Fixtures that several rooms share: a real PostgreSQL server, and a fresh database on it for each test."""

import atexit
import itertools
import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# The machines are shared: how long an example takes says nothing about the code. In CI the examples are the same every
# time, so that a red run means the change broke something; new examples are found where somebody can look at them.
quiet = [HealthCheck.too_slow]
settings.register_profile("explore", deadline=None, suppress_health_check=quiet)
settings.register_profile("ci", deadline=None, suppress_health_check=quiet, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "explore")

# Heads of databases that are no file go into the data folder of the one who runs them; here that is nobody's.
os.environ["ASSAY_HEADS"] = tempfile.mkdtemp(prefix="assay-heads-")
atexit.register(shutil.rmtree, os.environ["ASSAY_HEADS"], ignore_errors=True)

NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server():
    """A real server for the whole run (one for each worker).

    Its folder is not one of pytest's: run by root, the server belongs to another user, and every pytest that starts
    meanwhile (a worker, a scratch project of the plugin's tests) closes the folder above them all to that user.
    """
    import pgserver

    folder = tempfile.mkdtemp(prefix="assay-postgres-")
    server = pgserver.get_server(folder, cleanup_mode="delete")
    yield server
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server):
    """The address of an empty database."""
    name = f"test_{next(NUMBERS)}"
    postgres_server.psql(f"CREATE DATABASE {name};")
    return postgres_server.get_uri(database=name)
