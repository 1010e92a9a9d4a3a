"""The server: REST under `/v1`, the page at `/`, and the OpenAI-compatible guard."""
