"""A Dask cluster that works for this process: the same results, in the same order.

What there is to do travels once, as bytes, and Dask names it and each task by a hash, so that equal
work is done once. A task whose worker is lost is given to another one.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core import plugins
from fabric.core.errors import FabricError, InputError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from distributed import Client

P = TypeVar("P")
T = TypeVar("T")
#: How an address of a scheduler begins, and what Dask calls it.
SCHEMES = {"dask": "tcp", "dask+tls": "tls"}
#: How long the scheduler may take to answer, and a worker to come: our choice.
_TIMEOUT_S = 10


class Cluster:
    """Workers of a Dask scheduler.

    Parameters
    ----------
    address : str
        ``dask://HOST:PORT``, or ``dask+tls://HOST:PORT`` with the certificates of Dask's own
        configuration.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    def map(self, job: Callable[[P], T], parts: list[P]) -> Iterator[T]:
        """Yield what a job makes of each part, in order.

        Parameters
        ----------
        job : callable
            Travels once, as bytes, to each worker.

        Raises
        ------
        InputError
            When there is no scheduler or worker, or one of another version.
        FabricError
            When the same work ended several workers.
        """
        if parts:
            with self._client() as client:
                yield from _results(client, pickle.dumps(job, protocol=5), parts)

    def _client(self) -> Client:
        try:
            from distributed import Client
        except ImportError as error:
            fix = "install rocefab[scale]"
            raise self._error("Dask is not installed", fix) from error
        scheme, _, place = self.address.partition("://")
        try:
            client = Client(
                f"{SCHEMES[scheme]}://{place}", timeout=_TIMEOUT_S, set_as_default=False
            )
        except (OSError, ValueError, TypeError) as error:
            fix = "start one with `dask scheduler`, or correct the address"
            raise self._error("no Dask scheduler answers", fix) from error
        try:
            self._compare(client)
        except BaseException:
            client.close()
            raise
        return client

    def _compare(self, client: Client) -> None:
        """Refuse workers that may make something else."""
        from distributed import TimeoutError as NoWorker

        try:
            client.wait_for_workers(1, timeout=_TIMEOUT_S)
        except NoWorker as error:
            fix = "start some with `dask worker`"
            raise self._error("the Dask scheduler has no worker", fix) from error
        own = version()
        answers: dict[str, object] = client.run(_version, on_error="return")
        for worker, answer in sorted(answers.items()):
            if answer != own:
                fix = "install the same rocefab, plug-ins and Python on each worker"
                raise self._error(f"worker {worker} has {answer}, and this is {own}", fix)

    def _error(self, message: str, fix: str) -> InputError:
        finding = Finding("INT042", Severity.ERROR, f"{self.address}: {message}", fix, "--workers")
        return InputError("nothing was done", [finding])


def _results(client: Client, job: bytes, parts: list[P]) -> Iterator[Any]:
    import dask
    from distributed import KilledWorker

    # a task: of scattered data, Dask soon has one copy, which would be lost with its worker
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
        sent = client.submit(bytes, job, key=f"job-{hashlib.sha256(job).hexdigest()}")
    futures = client.map(_done, parts, job=sent, pure=True)
    try:
        for future in futures:
            yield future.result()
    except KilledWorker as error:
        raise FabricError(
            "one task ended several workers of the cluster, probably for lack of memory; nothing "
            "was pushed: give workers more memory, or run the command again without them"
        ) from error
    finally:
        client.cancel(futures)


def _done(part: Any, job: bytes) -> Any:
    """Do one part of the work; runs on a worker."""
    return _job(job)(part)


@lru_cache(2)
def _job(content: bytes) -> Callable[[Any], Any]:
    """Return a job that travelled; a worker reads it once."""
    job: Callable[[Any], Any] = pickle.loads(content)  # noqa: S301 - who reaches the scheduler runs code anyway
    return job


def _version() -> str:
    """Return the version of a worker."""
    return version()


@cache
def version() -> str:
    """Return Python and a hash of all files that results depend on, the same on every machine."""
    from fabric.render.engine import template_folder

    whole = hashlib.sha256()
    roots = [Path(__file__).parents[1], template_folder()]
    for root in (*roots, *(Path(str(folder)) for folder in plugins.folders("."))):
        for path in sorted(_sources(root)):
            whole.update(f"{path.relative_to(root).as_posix()}\0".encode())
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    python = ".".join(map(str, sys.version_info[:2]))
    return f"rocefab {whole.hexdigest()[:12]} on Python {python}"


def _sources(root: Path) -> Iterable[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in {"__pycache__", "_templates"}]
        yield from (Path(folder, name) for name in names if not name.endswith(".pyc"))
