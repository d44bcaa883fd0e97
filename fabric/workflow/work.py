"""How the results of many devices are made: kept ones first, the rest here or in processes."""

from __future__ import annotations

import copyreg
import gc
import os
import pickle
import signal
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fabric.core.errors import FabricError
from fabric.core.steps import stage as timed_stage
from fabric.core.steps import steps, watched
from fabric.workflow.cluster import Cluster
from fabric.workflow.store import Store, key_of, user_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from fabric.workflow.stages import Stage

T = TypeVar("T")
R = TypeVar("R")
#: A process needs about a second to start; in that time a device is made some 300 times.
PER_PROCESS = 300
#: Objects between two runs of the garbage collector, our choice; Python's own is 700 to 2,000.
_ALLOCATIONS = 100_000
#: Inputs of one task, our choice: some tenths of a second of work, and few enough results that
#: what they hold is small.
PER_TASK = 50


def same(value: T) -> T:
    """Return what was given."""
    return value


@dataclass(frozen=True)
class Job(Generic[T, R]):
    """Work on inputs, in whichever process it is called.

    Parameters
    ----------
    stage : Stage
        What is made.
    design : callable
        From an input to what the stage is made of.
    then : callable
        From what the stage makes to the result.
    store : Store
        Where results of earlier runs are.
    """

    stage: Stage[T]
    design: Callable[[Any], Any]
    then: Callable[[T], R]
    store: Store

    def __call__(self, inputs: Sequence[Any]) -> tuple[list[R], int]:
        """Return the results of some inputs, and how many of them were made now."""
        values = [self.design(item) for item in inputs]
        if not self.store.keeps:
            return [self.then(self.stage.make(value)) for value in values], len(values)
        keys = [key_of(self.stage.kind, value) for value in values]
        kept = self.store.get(keys)
        written: dict[str, bytes] = {}
        results = []
        for key, value in zip(keys, values, strict=True):
            if key in kept:
                result = self.stage.read(kept[key])
            else:
                result = self.stage.make(value)
                content = self.stage.write(result)
                written |= {} if content is None else {key: content}
            results.append(self.then(result))
        self.store.put(written)
        return results, sum(key not in kept for key in keys)


class Work:
    """Makes results and counts what was made and what was kept.

    Parameters
    ----------
    store : Store, optional
        Where results of earlier runs are.
    workers : int
        Processes; 1 works in this one, 0 takes as many as there are processors and work for.
    executor : Executor or Cluster, optional
        Works in place of own processes; a cluster without the store of this machine.
    """

    def __init__(
        self,
        store: Store | None = None,
        workers: int = 1,
        executor: Executor | Cluster | None = None,
    ) -> None:
        self._store = store or Store()
        self._workers = workers
        self._executor = executor
        self.made: Counter[str] = Counter()

    def each(
        self,
        stage: Stage[T],
        inputs: Mapping[str, Any],
        design: Callable[[Any], Any] = same,
        then: Callable[[T], Any] = same,
        per_task: int = PER_TASK,
    ) -> dict[str, Any]:
        """Return what is made of each input, by its name and in its order.

        Parameters
        ----------
        stage : Stage
            What is made.
        inputs : mapping
            Inputs by name.
        design : callable
            From an input to what the stage is made of; called where the work is done.
        then : callable
            From what the stage makes to the result, so that what is large need not travel; called
            on this machine.
        per_task : int
            Inputs of one task; 1 where each takes seconds.

        Raises
        ------
        FabricError
            When a worker process was killed.
        """
        job = Job(stage, design, then, self._store)
        every = list(inputs.values())
        parts = [every[start : start + per_task] for start in range(0, len(every), per_task)]
        self.made[stage.kind] += 0
        with timed_stage(stage.timed), self._mapped(job, parts) as done:
            made = self._each_of(done, stage.kind)
            results = [next(made) for _ in steps(stage.counted, every)]
        return dict(zip(inputs, results, strict=True))

    def _each_of(self, done: Iterable[tuple[list[R], int]], kind: str) -> Iterator[R]:
        for results, count in done:
            self.made[kind] += count
            yield from results

    @contextmanager
    def _mapped(
        self, job: Job[T, R], parts: list[list[Any]]
    ) -> Iterator[Iterator[tuple[list[R], int]]]:
        """Yield the results of the parts, in order, wherever they are made."""
        if isinstance(self._executor, Cluster):
            far = Job(job.stage, job.design, same, Store())
            yield (
                ([job.then(one) for one in made], count)
                for made, count in self._executor.map(far, parts)
            )
            return
        if self._executor:
            yield iter(self._executor.map(job, parts))
            return
        total = sum(map(len, parts))
        workers = self._workers or min(os.cpu_count() or 1, total // PER_PROCESS)
        if workers <= 1 or total <= 1:
            yield map(watched(None)(job), parts)  # what it counts inside is not to be seen
            return
        with _pool(workers, job) as pool:
            yield pool.map(_work, parts)


@contextmanager
def _pool(workers: int, job: Job[Any, Any]) -> Iterator[ProcessPoolExecutor]:
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
    collect_rarely()
    store = Store(None if fresh else cache or user_folder())
    if workers.isdecimal():
        return Work(store, int(workers))
    return Work(store, executor=Cluster(workers))


#: What this process works on, where it works for another one.
_jobs: list[Job[Any, Any]] = []


def collect_rarely() -> None:
    """Let the garbage collector look less often.

    Designs are millions of objects that hold no cycles; by its usual thresholds a fifth of the time
    goes into looking for some.
    """
    gc.set_threshold(_ALLOCATIONS, 20, 50)


def _prepare(job: bytes) -> None:
    """Take the job, and leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_rarely()
    _jobs.append(pickle.loads(job))  # noqa: S301 - of the process that started this one


def _work(inputs: list[Any]) -> tuple[list[Any], int]:
    return _jobs[0](inputs)


def _mapping(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


copyreg.pickle(MappingProxyType, lambda proxy: (_mapping, (dict(proxy),)))
