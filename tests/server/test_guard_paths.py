"""What a path may name on the upstream of the guard, sent raw over a socket: a client library would tidy it up."""

import http.client
from urllib.parse import urlsplit

from assay.server.guard.app import make_guard
from assay.server.settings import Settings
from tests.server.loopback import running
from tests.server.protocols import make_upstream

TRICKS = (
    "%252e%252e/admin",
    "%252e%252e%252fadmin",
    "..%2fadmin",
    "%2e%2e/admin",
    "a/../../admin",
    "parrot%3Fadmin=1",
    "./x",
    "parrot%23x",
    "parrot%5c..%5cadmin",
    "parrot%00",
    "parrot%0d%0aX",
    "a%2f%2fb",
    "parrot%253Fx",
    "x%20y",
    "%2fetc",
)
NAMES = ("parrot", "meta-llama/Llama-3.1-8B:latest", "org%2fname")


def test_a_path_cannot_lead_elsewhere_on_the_upstream(tmp_path):
    upstream = make_upstream({})
    with running(upstream) as behind:
        settings = Settings(data=str(tmp_path), judge="lexical", warm=False, upstream=f"{behind}/v1")
        with running(make_guard(settings)) as address:
            connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)

            def status(name):
                connection.putrequest("GET", f"/v1/models/{name}")
                connection.endheaders()
                answer = connection.getresponse()
                answer.read()
                return answer.status

            assert {trick: status(trick) for trick in TRICKS} == dict.fromkeys(TRICKS, 404)
            assert upstream.state.seen == []
            assert {status(name) for name in NAMES} == {200}
            asked = [path.decode() for _, path, _, _ in upstream.state.seen]
            assert asked == [f"/v1/models/{name}" for name in NAMES]
