"""The real slurmctld chooses hosts on seeded fabrics: our choice costs no more than its own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from fabric.core import hostlist
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.engine.traffic import parse_traffic
from tests.judges import test_slurm as slurm
from tests.placement.instances import KINDS, SMALL, built, state
from tests.placement.rivals import cost, free_hosts

#: Nodes that are started when a job needs them count as free, though no slurmd runs.
CLOUD = "State=CLOUD\nSuspendProgram=/bin/true\nResumeProgram=/bin/true\nSuspendTime=-1"
SEEDS = 6


def topology(engine: Engine) -> str:
    """Return a switch for the leaves of each unit, and one above."""
    names, of = engine.fabric.hosts.names, engine.index.groups.of_host
    units = range(len(engine.index.groups))
    lines = [
        f"SwitchName=unit{unit} Nodes="
        + ",".join(name for name, group in zip(names, of.tolist(), strict=True) if group == unit)
        for unit in units
    ]
    return "\n".join([*lines, f"SwitchName=top Switches=unit[0-{len(units) - 1}]", ""])


@pytest.mark.parametrize("shape", SMALL[:3], ids=lambda shape: f"{sum(shape.units)}-hosts")
def test_the_choice_of_slurm_is_no_better(
    shape: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fabric = built(shape)  # type: ignore[arg-type]
    monkeypatch.setattr(slurm, "CONFIGURATION", slurm.CONFIGURATION.replace("State=UNKNOWN", CLOUD))
    names = fabric.hosts.names
    compared = 0
    with slurm._controller(tmp_path, ",".join(names), topology(Engine(fabric))) as environment:
        for seed in range(SEEDS):
            engine = Engine(fabric, state(fabric, seed))
            free = free_hosts(engine)
            nodes = 2 + seed * 3
            if free.sum() < nodes:
                continue
            chosen = ask(environment, engine, nodes)
            counts = np.bincount(engine.index.groups.of_host[chosen], minlength=len(free))
            for kind in KINDS:
                query = Query(nodes, traffic=parse_traffic(kind))
                answer = engine.place(query)
                assert max(answer.load, 1.0) <= cost(engine, query, counts) * (1 + 1e-9)
                compared += 1
    assert compared > 0


def ask(environment: dict[str, str], engine: Engine, nodes: int) -> np.ndarray:
    """Return the rows of the hosts that slurmctld would give to a job now."""
    healthy = engine.index.available.usable(np.arange(engine.fabric.nics_per_host)).healthy
    names = engine.fabric.hosts.names
    busy = ",".join(name for name, free in zip(names, healthy.tolist(), strict=True) if not free)
    words = ["srun", "--test-only", "-N", str(nodes), "-t", "10"]
    done = subprocess.run(
        [*words, *(["--exclude", busy] if busy else []), "true"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    hosts = re.search(r" on nodes (\S+) in partition", done.stderr)
    assert hosts, done.stderr
    return np.array([engine.fabric.host_row[name] for name in hostlist.expand(hosts[1])])
