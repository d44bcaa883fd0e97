# The image for CI jobs: rocefab with Batfish client and lab, as a user without rights.
#   docker build --tag rocefab .
#   docker run --rm --volume "$PWD:/work:ro" rocefab check inventory
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
# hadolint ignore=DL3013
RUN pip install --no-cache-dir --prefix=/install ".[lab,batfish,service]"

FROM python:3.12-slim
COPY --from=build /install /usr/local
RUN useradd --create-home --uid 10001 rocefab
USER 10001
WORKDIR /work
ENTRYPOINT ["rocefab"]
CMD ["--help"]
