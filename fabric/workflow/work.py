"""How the results of many devices are made: kept ones first, the rest here or in processes.

Stages that are made device by device: functions of one input, and the form of what they make.

They stand here, so that a process that works for another finds them; what they need is imported
when something is made, not when everything is kept.
"""

from __future__ import annotations

import copyreg
import json
import os
import signal
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core.artefact import Artefact
from fabric.core.errors import FabricError
from fabric.core.findings import Finding, Severity
from fabric.core.steps import stage, steps, watched
from fabric.workflow.store import Store, key_of, user_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Executor
    from pathlib import Path

    from fabric.design.model import DeviceDesign, HostDesign
    from fabric.platforms.model import Sku
    from fabric.validate.runner import Outcome
    from fabric.workflow.cluster import Cluster


T = TypeVar("T")
#: A process needs about a second to start; in that time a device is made some 300 times.
PER_PROCESS = 300
#: Stage of the command, and what progress counts, where it is not files of switches.
_RENDER = ("render", "switches")
_STAGES = {"host": ("render", "hosts"), "verdict": ("rules", "switches")}


class Work:
    """Makes results and counts what was made and what was kept.

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
        inputs : mapping
            By the name of a device; progress counts them.
        form : pair of callables
            To bytes that are kept, and back; None is not kept.
        """
        if not self._store.keeps:
            self.made[kind] += len(inputs)
            return self._counted(kind, make, inputs)
        write, read = form
        keys = {name: key_of(kind, value) for name, value in inputs.items()}
        kept = self._store.get(keys.values())
        missing = {name: value for name, value in inputs.items() if keys[name] not in kept}
        results = self._counted(kind, make, missing)
        written = {keys[name]: write(result) for name, result in results.items()}
        self._store.put({key: result for key, result in written.items() if result is not None})
        self.made[kind] += len(results)
        return {
            name: results[name] if name in results else read(kept[keys[name]]) for name in inputs
        }

    def _counted(
        self, kind: str, make: Callable[[Any], T], inputs: Mapping[str, Any]
    ) -> dict[str, T]:
        """Return what is made of each input by its name, and report each as a step."""
        name, what = _STAGES.get(kind, _RENDER)
        with stage(name):
            made = self._map(make, list(inputs.values()))
            return dict(zip(steps(what, list(inputs)), made, strict=True))

    def _map(self, make: Callable[[Any], T], inputs: list[Any]) -> Iterator[T]:
        """Yield what is made of each input.

        Raises
        ------
        FabricError
            When a worker process was killed.
        """
        if self._executor:
            yield from self._executor.map(make, inputs)
            return
        workers = self._workers or min(os.cpu_count() or 1, len(inputs) // PER_PROCESS)
        if workers <= 1 or len(inputs) <= 1:
            for item in inputs:
                with watched(None):
                    result = make(item)
                yield result
            return
        pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_prepare)
        try:
            yield from pool.map(make, inputs, chunksize=max(1, len(inputs) // (workers * 4)))
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
    from fabric.workflow.cluster import Cluster

    return Work(store, executor=Cluster(workers))


def _prepare() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _mapping(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


copyreg.pickle(MappingProxyType, lambda proxy: (_mapping, (dict(proxy),)))


def rendered_switch(design: DeviceDesign) -> list[Artefact]:
    """Return the files of a switch."""
    from fabric.render import render_device

    return render_device(design)


def rendered_host(design: HostDesign) -> list[Artefact]:
    """Return the files of a host."""
    from fabric.systems.host.render import render_host

    return render_host(design)


def _files_to_bytes(files: list[Artefact]) -> bytes:
    rows = [[f.device, f.platform, f.kind, f.path, f.text, f.executable] for f in files]
    return json.dumps(rows).encode()


def _files_from_bytes(content: bytes) -> list[Artefact]:
    return [
        Artefact(device, platform, kind, path, text.encode(), executable)
        for device, platform, kind, path, text, executable in json.loads(content)
    ]


ARTEFACTS = (_files_to_bytes, _files_from_bytes)


def judged_config(config: tuple[str, bytes, Sku]) -> Outcome:
    """Return what the rules say of a CONFIG_DB, given with the name and model of its switch."""
    from fabric.validate.runner import run
    from fabric.validate.world import World

    device, content, model = config
    tables = {device: json.loads(content)}
    return run(World(sonic=tables, skus={model.name: model}, is_rendered=True, row_by_row=True))


def judged_switch(design: DeviceDesign) -> Outcome | None:
    """Return what the rules say of the CONFIG_DB of a switch; None where it has none.

    The files are dropped at once, so that those of a large fabric are never all in memory.
    """
    files = (file for file in rendered_switch(design) if file.kind == "config_db")
    config = next(files, None)
    return judged_config((design.name, config.content, design.sku)) if config else None


def _outcome_to_bytes(outcome: Outcome | None) -> bytes | None:
    """Return bytes to keep; a rule that failed itself may do better next time."""
    if outcome is None:
        return b"null"
    if outcome.broken or any(finding.position for finding in outcome.findings):
        return None
    rows = [
        [f.rule, int(f.severity), f.message, f.fix, f.field, f.device, f.port]
        for f in outcome.findings
    ]
    return json.dumps([rows, outcome.checked, outcome.skipped]).encode()


def _outcome_from_bytes(content: bytes) -> Outcome | None:
    from fabric.validate.runner import Outcome

    if content == b"null":
        return None
    rows, checked, skipped = json.loads(content)
    findings = tuple(
        Finding(rule, Severity(severity), message, fix, field, None, device, port)
        for rule, severity, message, fix, field, device, port in rows
    )
    return Outcome(findings, tuple(checked), tuple(skipped), ())


OUTCOMES = (_outcome_to_bytes, _outcome_from_bytes)
