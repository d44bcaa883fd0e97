"""A Dask cluster that works for this process: the same results, in the same order.

Each piece of work travels as bytes, and Dask names a task by the hash of its bytes, so that equal
work is done once. A task whose worker is lost is given to another one.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core import plugins
from fabric.core.errors import FabricError, InputError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from distributed import Client

T = TypeVar("T")
#: How an address of a scheduler begins, and what Dask calls it.
SCHEMES = {"dask": "tcp", "dask+tls": "tls"}
#: How long the scheduler may take to answer, and a worker to come: our choice.
_TIMEOUT_S = 10
#: Inputs of one task, our choice: some tenths of a second of work, against the millisecond that
#: a task costs (docs.dask.org, Best Practices, Avoid Very Large Graphs).
_INPUTS = 50


class Cluster:
    """Workers of a Dask scheduler.

    Parameters
    ----------
    address : str
        ``dask://HOST:PORT``, or ``dask+tls://HOST:PORT`` with the certificates of Dask's own
        configuration.
    inputs : int
        Inputs of one task; 1 where each takes seconds.
    """

    def __init__(self, address: str, inputs: int = _INPUTS) -> None:
        self.address = address
        self._inputs = inputs

    def map(self, make: Callable[[Any], T], inputs: list[Any]) -> list[T]:
        """Return what is made of each input.

        Parameters
        ----------
        make : callable
            A function of one input and nothing else; of a module of rocefab.

        Raises
        ------
        InputError
            When there is no scheduler or worker, or one of another version.
        FabricError
            When the same work ended several workers.
        """
        if not inputs:
            return []
        step = self._inputs
        parts = (inputs[start : start + step] for start in range(0, len(inputs), step))
        tasks = [pickle.dumps((make, part), protocol=5) for part in parts]
        with self._client() as client:
            return [result for part in _results(client, tasks) for result in part]

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


def _results(client: Client, tasks: list[bytes]) -> Iterator[list[Any]]:
    from distributed import KilledWorker

    futures = client.map(_done, tasks, pure=True)
    try:
        yield from client.gather(futures)
    except KilledWorker as error:
        raise FabricError(
            "one task ended several workers of the cluster, probably for lack of memory; nothing "
            "was pushed: give workers more memory, or run the command again without them"
        ) from error
    finally:
        client.cancel(futures)


def _done(task: bytes) -> list[Any]:
    """Do one piece of work; runs on a worker."""
    make, inputs = pickle.loads(task)  # noqa: S301 - who can reach the scheduler runs code anyway
    return [make(item) for item in inputs]


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
