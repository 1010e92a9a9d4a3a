# Server and command line with the weights inside, from the wheels of `make dist`:
#   make dist && docker build -t assay .
#   docker run --rm assay keys new me --role admin > settings.toml        # beyond this machine every request needs a key
#   docker run -p 8017:8017 -v assay:/data -v "$PWD/settings.toml:/etc/assay.toml:ro" -e ASSAY_CONFIG=/etc/assay.toml assay
#   docker run --rm -v "$PWD:/work" -w /work assay check answer.md --sources articles
FROM python:3.12-slim AS build
COPY dist/*.whl /wheels/
RUN python -m venv /opt/assay \
    && /opt/assay/bin/pip install --no-cache-dir --find-links /wheels 'assay-check[base,server,documents,llm,postgres]'

FROM python:3.12-slim
COPY --from=build /opt/assay /opt/assay
RUN useradd --create-home --uid 10001 assay && install -d -o 10001 /data
ENV PATH=/opt/assay/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
VOLUME /data
EXPOSE 8017
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8017/v1/health', timeout=4)"]
ENTRYPOINT ["assay"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data"]
