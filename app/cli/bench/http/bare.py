"""What the framework costs by itself: an endpoint that does nothing."""

from fastapi import FastAPI


def make_bare_app() -> FastAPI:
    """Return an application with one route, `/bare`."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)

    @app.get("/bare")
    async def answer_bare() -> dict[str, str]:
        return {"status": "ok"}

    return app
