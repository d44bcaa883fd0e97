"""The same answers by others: pyavd, plain networkx, bare Jinja2, the previous release.

Processor time, in one run and on one machine. Prints only.
"""

from __future__ import annotations

import gc
import os
import subprocess
import tarfile
import time
import warnings
from collections.abc import Callable, Iterable
from functools import _lru_cache_wrapper, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from fabric.core.garbage import collect_rarely
from fabric.design.model import DeviceDesign
from fabric.platforms import platforms
from fabric.render import render_device
from fabric.render.engine import environment, template_folders
from fabric.systems.sonic import render as sonic
from fabric.systems.sonic.policy import Shape, policy_view
from fabric.topology.clos import Clos
from fabric.topology.paths import Layers, path_counts
from fabric.topology.singles import SingleFailures
from fabric.workflow.project import Project
from tests.bench.figures import Figures
from tests.bench.networkx_answers import plain_counts, plain_failures
from tests.bench.process import run
from tests.bench.test_analysis import large
from tests.bench.test_scale import write
from tests.design.test_examples import _switches
from tests.judges.avd_model import structured
from tests.judges.conftest import missing_judge
from tests.render import (
    comware7_designs,
    esonic_designs,
    junos_designs,
    nxos_designs,
    vrp8_designs,
)
from tests.render.designs import variant
from tests.systems.cumulus import test_render as test_cumulus
from tests.topology.fabrics import INVENTORY, REPOSITORY, fabric

pytestmark = pytest.mark.benchmark

#: Names the release, by its revision, that this one is compared with; default: the newest tag.
PREVIOUS = "ROCEFAB_PREVIOUS"
PREVIOUS_COMMANDS = (
    "check {folder} --fresh",
    "render {folder} --fresh --out {out}",
    "show paths {folder}",
)
#: Leaf of 64 ports (VRP8: 32, its models have no more) by system.
LEAVES = {
    "comware7": comware7_designs.designs,
    "cumulus": test_cumulus.designs,
    "esonic": esonic_designs.designs,
    "junos": junos_designs.designs,
    "nxos": nxos_designs.designs,
    "vrp8": vrp8_designs.designs,
}


def _compared(figures: Figures, question: str, other: str, own_ms: float, other_ms: float) -> None:
    row = {"question": question, "other": other, "own_ms": own_ms, "other_ms": other_ms}
    figures["anchors"].append(row)
    print(f"\n{question}: rocefab {own_ms:,.2f} ms, {other} {other_ms:,.2f} ms of processor time")
    print(f"  ratio {other_ms / own_ms:,.1f}")


def test_pyavd(figures: Figures) -> None:
    """The same EOS switches, rendered by us and by pyavd, in one process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import pyavd
        except ImportError:
            missing_judge("pyavd (dependency group dev)")
    model = {"sku": "7060X6-64PE"}
    units = [{"name": f"su{number}", "hosts": f"gpu{number}[01-32]"} for number in range(1, 3)]
    made = fabric(
        units=units,
        rails=8,
        spines={"count": 8, "links_per_leaf": 4},
        platforms={"leaf": model, "spine": dict(model)},
        speeds={"host_gbps": 400, "uplink_gbps": 400},
        host__gpus=8,
    )
    devices = list(_switches(made).values())
    render_device(devices[0])
    configs = [structured(device) for device in devices]
    pyavd.get_device_config(configs[0])
    start = time.process_time()
    ours = [render_device(device)[0].text for device in devices]
    middle = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = [pyavd.get_device_config(config) for config in configs]
    end = time.process_time()
    own_ms, avd_ms = (1000 * spent / len(devices) for spent in (middle - start, end - middle))
    _compared(
        figures, "an EOS switch of 64 ports, rendered", f"pyavd {pyavd.__version__}", own_ms, avd_ms
    )
    print(
        f"  {len(ours[0].splitlines())} and {len(theirs[0].splitlines())} lines of the first leaf"
    )


def _leaves(system: str, folder: Path) -> list[DeviceDesign]:
    if system == "sonic":
        devices = Project(INVENTORY / "rail-512").devices
    elif system == "eos":
        devices = variant(folder / "eos", "rail-512", {"ACS-SN5600": "7060X6-64PE"})
    else:
        devices = LEAVES[system]("rail-512")
    return [device for device in devices.values() if device.role == "leaf"]


def test_rendering_against_bare_jinja(tmp_path: Path, figures: Figures) -> None:
    """All leaves of a fabric, of every system: view, sandbox and checks against the templates.

    Each leaf is rendered once, as in a command, and nothing is known before the first: what leaves
    share is made once. The templates alone are filled for each leaf, with values at hand.
    """
    bare = Environment(
        loader=FileSystemLoader(template_folders()),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    bare.filters.update(environment().filters)
    collect_rarely()
    for system in sorted(platforms):
        leaves = _leaves(system, tmp_path)
        templates = [pair for leaf in leaves for pair in _templates(bare, system, leaf)]
        _rendered(leaves)
        caches = _caches()
        own_ms, bare_ms = _each_ms(
            lambda leaves=leaves, caches=caches: _rendered(leaves, caches),
            partial(_all_of, templates),
        )
        question = f"a leaf of {len(leaves[0].ports)} ports, {system}"
        of_leaf = own_ms / len(leaves), bare_ms / len(leaves)
        _compared(figures, question, "its templates alone, bare Jinja2", *of_leaf)


def _templates(
    bare: Environment, system: str, device: DeviceDesign
) -> list[tuple[Template, dict[str, Any]]]:
    names = import_module(f"fabric.systems.{system}.render").FEATURES
    seen = import_module(f"fabric.systems.{system}.view").view(device)
    values = {key: {"view": seen, "device": device} for key in names}
    if system == "sonic":
        shape = Shape.of(device, [key for key, _ in seen.ports])
        values |= {key: {"view": policy_view(shape)} for key in sonic.SHARED}
        fronts = {port.number: sonic._front(sonic.Front.of(port)) for port in device.ports}
        values["ports"] |= {"fronts": fronts}
    return [(bare.get_template(f"{system}/{name}.j2"), values[name]) for name in names]


def _caches() -> list[Any]:
    """Return what keeps parts of switches; what keeps files of the package has no largest size."""
    return [
        cache
        for cache in gc.get_objects()
        if isinstance(cache, _lru_cache_wrapper)
        and cache.__module__.startswith("fabric.")
        and cache.cache_parameters()["maxsize"] is not None
    ]


def _rendered(leaves: list[DeviceDesign], caches: Iterable[Any] = ()) -> None:
    for cache in caches:
        cache.cache_clear()
    for device in leaves:
        render_device(device)


def _all_of(templates: list[tuple[Template, dict[str, Any]]]) -> None:
    for template, values in templates:
        template.render(values)


def _each_ms(*jobs: Callable[[], object], times: int = 15) -> list[float]:
    """Return the best of some runs of each, in turns: what else the machine does is no matter."""
    best = [float("inf")] * len(jobs)
    for _ in range(times):
        for number, job in enumerate(jobs):
            start = time.process_time()
            job()
            best[number] = min(best[number], time.process_time() - start)
    return [1000 * seconds for seconds in best]


def _warm_ms(job: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a second run and what it took: the first one loads libraries too."""
    job()
    start = time.process_time()
    result = job()
    return result, 1000 * (time.process_time() - start)


def test_networkx(figures: Figures) -> None:
    """The same answers of fabrics of three tiers, by loops over a networkx graph."""
    middle, small = large(4096, 256, 256, 256, 16), large(512, 64, 64, 64, 4)
    ours, own_ms = _warm_ms(lambda: path_counts(Layers.of(middle)))
    theirs, other_ms = _warm_ms(lambda: plain_counts(middle))
    assert np.array_equal(ours, theirs)
    _compared(figures, f"shortest paths, {_size(middle)}", "networkx", own_ms, other_ms)
    ours, own_ms = _warm_ms(lambda: SingleFailures(small).cables().leaf_pairs)
    theirs, other_ms = _warm_ms(lambda: plain_failures(small))
    assert ours.tolist() == theirs
    _compared(figures, f"failure of each cable, {_size(small)}", "networkx", own_ms, other_ms)


def _size(network: Clos) -> str:
    return f"{len(network.tier)} switches, {len(network.cables):,} cables"


def _git(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *words], cwd=REPOSITORY, capture_output=True, check=False)


def test_previous_release(tmp_path: Path, figures: Figures) -> None:
    """The same commands of another revision, in the environment of this one."""
    revision = os.environ.get(PREVIOUS) or _git("describe", "--tags", "--abbrev=0").stdout.decode()
    if not revision:
        pytest.skip(f"no previous release; {PREVIOUS} names a revision")
    archive = tmp_path / "source.tar"
    done = _git("archive", "--output", str(archive), revision.strip())
    assert done.returncode == 0, done.stderr.decode()
    with tarfile.open(archive) as content:
        content.extractall(tmp_path / "source", filter="data")
    folder = write(tmp_path / "inventory", 1)
    for number, words in enumerate(PREVIOUS_COMMANDS):
        each = [
            run(words.format(folder=folder, out=tmp_path / f"{name}{number}").split(), source)
            for name, source in (("own", REPOSITORY), ("other", tmp_path / "source"))
        ]
        own_ms, other_ms = (1000 * one.cpu_s for one in each)
        question = f"{words.partition(' {')[0]}, 512 hosts"
        _compared(figures, question, f"rocefab {revision.strip()[:12]}", own_ms, other_ms)
