"""How the results of many devices are made: kept ones first, the rest here or in processes."""

from __future__ import annotations

import copyreg
import hashlib
import os
import pickle
import signal
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fabric.core.errors import FabricError
from fabric.core.garbage import collect_rarely
from fabric.core.steps import stage as timed_stage
from fabric.core.steps import steps, watched
from fabric.workflow.cluster import Cluster
from fabric.workflow.store import Store, code_version, user_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor, ProcessPoolExecutor
    from pathlib import Path

    from fabric.workflow.stages import Stage

T = TypeVar("T")
R = TypeVar("R")
#: A process needs about a second to start; in that time a device is made some 300 times.
PER_PROCESS = 300
#: Inputs of one task, our choice: some tenths of a second of work, and few enough results that
#: what they hold is small.
PER_TASK = 50


def same(value: T) -> T:
    """Return what was given."""
    return value


def digests(kind: str, inputs: Mapping[str, Any], key: Callable[[Any], bytes]) -> dict[str, str]:
    """Return a digest of all that each result follows from, the code included, by name."""
    prefix = f"{kind}\0{code_version()}\0".encode()
    return {name: hashlib.sha256(prefix + key(item)).hexdigest() for name, item in inputs.items()}


@dataclass(frozen=True)
class Task(Generic[T, R]):
    """Work on inputs, in whichever process it is called.

    Parameters
    ----------
    make : callable
        From an input to what is made of it.
    then : callable
        From that to the result.
    write : callable, optional
        From what is made to what is kept of it, where anything is.
    """

    make: Callable[[Any], T]
    then: Callable[[T], R]
    write: Callable[[T], bytes | None] | None = None

    def __call__(self, inputs: Sequence[Any]) -> list[tuple[R, bytes | None]]:
        """Return the result of each input, and what is to be kept of it."""
        return [self.done(self.make(item)) for item in inputs]

    def done(self, value: T) -> tuple[R, bytes | None]:
        """Return the result of what was made, and what is to be kept of it."""
        kept = self.write(value) if self.write else None
        return self.then(value), kept


class Work:
    """Makes results and counts those that were not kept from earlier runs.

    Parameters
    ----------
    store : Store, optional
        Where results of earlier runs are.
    workers : int
        Processes; 1 works in this one, 0 takes as many as there are processors and work for.
    executor : Executor or Cluster, optional
        Works in place of own processes.
    """

    def __init__(
        self,
        store: Store | None = None,
        workers: int = 1,
        executor: Executor | Cluster | None = None,
    ) -> None:
        self.store = store or Store()
        self._workers = workers
        self._executor = executor
        self.made: Counter[str] = Counter()

    def each(
        self,
        stage: Stage[T],
        inputs: Mapping[str, Any],
        then: Callable[[T], Any] = same,
        again: Callable[[Any], Any] | None = None,
        per_task: int = PER_TASK,
    ) -> dict[str, Any]:
        """Return what is made of each input, by its name and in its order.

        Parameters
        ----------
        stage : Stage
            What is made.
        inputs : mapping
            Inputs by name.
        then : callable
            From what the stage makes to the result, so that what is large need not travel; called
            on this machine.
        again : callable, optional
            From what an earlier run kept to the result; None is made anew. Without it all is.
        per_task : int
            Inputs of one task; 1 where each takes seconds.

        Raises
        ------
        FabricError
            When a worker process was killed.
        """
        self.made[stage.kind] += 0
        with timed_stage(stage.timed):
            keys = self._keys(stage, inputs)
            results = self._kept(stage, keys, again)
            left = [name for name in inputs if name not in results]
            parts = [left[start : start + per_task] for start in range(0, len(left), per_task)]
            job = Task(stage.make, then, stage.keep.write if keys and stage.keep else None)
            names = steps(stage.counted, left)
            with self._far(job, [[inputs[name] for name in part] for part in parts]) as far:
                for part in parts:
                    done = [] if far is None else next(far)
                    with watched(None):  # what it counts inside is not to be seen
                        for name in part if far is None else ():
                            value = stage.make(inputs[name])
                            done.append(job.done(value))
                    self._store(part, done, keys)
                    results |= {next(names): result for result, _ in done}
            next(names, None)  # the last one is done
            self.made[stage.kind] += len(left)
        return {name: results[name] for name in inputs}

    def _keys(self, stage: Stage[T], inputs: Mapping[str, Any]) -> dict[str, str]:
        """Return the key of each input, where results are kept."""
        if not self.store.keeps or stage.keep is None:
            return {}
        return digests(stage.kind, inputs, stage.keep.key)

    def _kept(
        self, stage: Stage[T], keys: Mapping[str, str], again: Callable[[Any], Any] | None
    ) -> dict[str, Any]:
        if again is None or stage.keep is None:
            return {}
        kept = self.store.get(keys.values())
        results = {
            name: again(stage.keep.read(kept[key])) for name, key in keys.items() if key in kept
        }
        return {name: result for name, result in results.items() if result is not None}

    def _store(
        self, names: Sequence[str], done: Sequence[tuple[Any, bytes | None]], keys: dict[str, str]
    ) -> None:
        """Keep what is to be kept of some results."""
        pairs = zip(names, done, strict=True)
        self.store.put({keys[name]: kept for name, (_, kept) in pairs if kept is not None})

    @contextmanager
    def _far(
        self, job: Task[T, R], parts: list[list[Any]]
    ) -> Iterator[Iterator[list[tuple[R, bytes | None]]] | None]:
        """Yield the results of the parts, in order, as others make them; None to work here."""
        if isinstance(self._executor, Cluster):
            far = Task(job.make, same, job.write)
            made = self._executor.map(far, parts)
            yield ([(job.then(one), kept) for one, kept in part] for part in made)
            return
        if self._executor:
            yield iter(self._executor.map(job, parts))
            return
        total = sum(map(len, parts))
        workers = self._workers or min(os.cpu_count() or 1, total // PER_PROCESS)
        if workers <= 1 or total <= 1:
            yield None
            return
        with _pool(workers, job) as pool:
            yield pool.map(_work, parts)


@contextmanager
def _pool(workers: int, job: Task[Any, Any]) -> Iterator[ProcessPoolExecutor]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, get_context("spawn"), _prepare, (pickle.dumps(job),))
    try:
        yield pool
    except BrokenProcessPool as error:
        raise FabricError(
            "a worker process was killed, probably for lack of memory; nothing was pushed: "
            "run the command again with --workers 1"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def work_of(cache: Path | None, *, fresh: bool = False, workers: str = "0") -> Work:
    """Return how a command works: with the store of the user, or anew.

    Parameters
    ----------
    workers : str
        Number of processes, or address of a cluster, ``dask://HOST:PORT``.
    """
    store = Store(None if fresh else cache or user_folder())
    if workers.isdecimal():
        return Work(store, int(workers))
    return Work(store, executor=Cluster(workers))


#: What this process works on, where it works for another one.
_jobs: list[Task[Any, Any]] = []


def _prepare(job: bytes) -> None:
    """Take the job, and leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    collect_rarely()
    _jobs.append(pickle.loads(job))  # noqa: S301 - of the process that started this one


def _work(inputs: list[Any]) -> list[tuple[Any, bytes | None]]:
    return _jobs[0](inputs)


def _mapping(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


copyreg.pickle(MappingProxyType, lambda proxy: (_mapping, (dict(proxy),)))
