# rocefab with all extras, from the wheel and the locked dependencies of `make release`.
#   make release
#   docker build --tag rocefab .      # or podman build, buildah build
#   docker run --rm --read-only --tmpfs /tmp --cap-drop ALL --volume "$PWD:/work:ro" rocefab check inventory
# It runs as a user without rights, starts no shell, and writes to /state and /tmp alone.
FROM python:3.12-slim AS build
COPY dist/requirements.txt dist/*.whl /dist/
RUN pip install --no-cache-dir --require-hashes --prefix=/install --requirement /dist/requirements.txt \
    && pip install --no-cache-dir --no-index --no-deps --prefix=/install /dist/*.whl

FROM python:3.12-slim
# `rocefab diff` reads revisions with git. The version is that of the base image's Debian, whose
# archive drops older ones: a pinned one could not be installed for long.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /install /usr/local
RUN useradd --no-create-home --home-dir /state --uid 10001 rocefab \
    && install --directory --owner=10001 --mode=0700 /state
ENV HOME=/state \
    PYTHONDONTWRITEBYTECODE=1 \
    XDG_CACHE_HOME=/tmp/cache \
    XDG_STATE_HOME=/state
VOLUME /state
USER 10001
WORKDIR /work
ENTRYPOINT ["rocefab"]
CMD ["--help"]
