"""How the results of many devices are made: kept ones first, the rest here or in processes."""

from __future__ import annotations

import copyreg
import os
import signal
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.workflow.store import Store, key_of, user_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor
    from pathlib import Path

T = TypeVar("T")
#: A process needs about a second to start; in that time a device is made some 300 times.
PER_PROCESS = 300


class Work:
    """Makes results and counts what was made and what was kept.

    Parameters
    ----------
    store : Store, optional
        Where results of earlier runs are.
    workers : int
        Processes; 1 works in this one, 0 takes as many as there are processors and work for.
    executor : Executor, optional
        Works in place of own processes, such as one of a cluster.
    """

    def __init__(
        self, store: Store | None = None, workers: int = 1, executor: Executor | None = None
    ) -> None:
        self._store = store or Store()
        self._workers = workers
        self._executor = executor
        self.made: Counter[str] = Counter()

    def each(
        self,
        kind: str,
        make: Callable[[Any], T],
        inputs: Mapping[str, Any],
        form: tuple[Callable[[T], bytes | None], Callable[[bytes], T]],
    ) -> dict[str, T]:
        """Return what is made of each input, by its name and in its order.

        Parameters
        ----------
        kind : str
            What is made; part of the key.
        make : callable
            A function of one input and nothing else; of a module, so that a process finds it.
        form : pair of callables
            To bytes that are kept, and back; None is not kept.
        """
        if not self._store.keeps:
            self.made[kind] += len(inputs)
            return dict(zip(inputs, self._map(make, list(inputs.values())), strict=True))
        write, read = form
        keys = {name: key_of(kind, value) for name, value in inputs.items()}
        kept = self._store.get(keys.values())
        missing = {name: value for name, value in inputs.items() if keys[name] not in kept}
        made = dict(zip(missing, self._map(make, list(missing.values())), strict=True))
        written = {keys[name]: write(result) for name, result in made.items()}
        self._store.put({key: result for key, result in written.items() if result is not None})
        self.made[kind] += len(made)
        return {name: made[name] if name in made else read(kept[keys[name]]) for name in inputs}

    def _map(self, make: Callable[[Any], T], inputs: list[Any]) -> list[T]:
        if self._executor:
            return list(self._executor.map(make, inputs))
        workers = self._workers or min(os.cpu_count() or 1, len(inputs) // PER_PROCESS)
        if workers <= 1 or len(inputs) <= 1:
            return [make(item) for item in inputs]
        pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_prepare)
        try:
            return list(pool.map(make, inputs, chunksize=max(1, len(inputs) // (workers * 4))))
        finally:
            pool.shutdown(cancel_futures=True)


def work_of(cache: Path | None, *, fresh: bool = False, workers: int = 0) -> Work:
    """Return how a command works: with the store of the user, or anew."""
    return Work(Store(None if fresh else cache or user_folder()), workers)


def _prepare() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _mapping(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


copyreg.pickle(MappingProxyType, lambda proxy: (_mapping, (dict(proxy),)))
