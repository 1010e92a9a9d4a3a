"""A server with two requests more: one keeps the interpreter busy for hours, one keeps a thread for ever."""

import re
import time

from fastapi import FastAPI

from assay.server.app import from_environment


def make() -> FastAPI:
    app = from_environment()
    page = app.router.routes.pop()  # it takes every path that comes before it

    @app.get("/v1/freeze")
    def freeze() -> None:
        re.match(r"(a|a)+b", "a" * 80)

    @app.get("/v1/stick")
    async def stick() -> None:
        await app.state.assay.pool.run(lambda: [time.sleep(0.1) for _ in range(100_000)])

    app.router.routes.append(page)
    return app
