# Two stages: the first installs what the lock file names, each file checked by its hash; the second is what runs.
FROM python:3.12-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/densemem
# The lock file before the source: dependencies are installed anew only when it changes.
COPY requirements-runtime.lock /tmp/requirements-runtime.lock
RUN /opt/densemem/bin/python -m pip install --require-hashes --no-deps --only-binary :all: -r /tmp/requirements-runtime.lock
COPY app /opt/densemem/source/app
COPY migrations /opt/densemem/source/migrations
COPY prompts /opt/densemem/source/prompts
RUN printf '#!/opt/densemem/bin/python\nfrom app.cli.main import main\n\nmain()\n' > /opt/densemem/bin/densemem && chmod 755 /opt/densemem/bin/densemem
# Compiled here, for nothing can be written where it runs.
RUN /opt/densemem/bin/python -m compileall -q -j 0 /opt/densemem/source/app /opt/densemem/source/migrations

FROM python:3.12-slim-bookworm
RUN groupadd --gid 10001 densemem && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin densemem
COPY --from=build /opt/densemem /opt/densemem
ENV PATH=/opt/densemem/bin:$PATH \
    PYTHONPATH=/opt/densemem/source \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    DENSEMEM_HOST=0.0.0.0 \
    DENSEMEM_DATA_DIR=/tmp/densemem
USER 10001:10001
# /tmp is the only place that is written to, so the root file system may be read-only; no module is found there.
WORKDIR /
EXPOSE 8420
STOPSIGNAL SIGTERM
ENTRYPOINT ["densemem"]
CMD ["serve", "--no-worker"]
