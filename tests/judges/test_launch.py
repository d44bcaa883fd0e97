"""Open MPI and MPICH read the files of a job and start its ranks where the files say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fabric.core.exports import export, exporters
from fabric.placement.export import Order
from tests.judges.conftest import missing_judge
from tests.topology.fabrics import fabric

#: A host with two packages of eight cores, for hwloc (its manual: HWLOC_SYNTHETIC).
MACHINE = "package:2 numa:1 core:8 pu:2"
HOST: dict[str, Any] = {
    "host__gpus": 4,
    "host__management_interface": "lo",
    "host__gpu": {"numa_nodes": [0, 0, 1, 1]},
    "host__numa_cores": ["0:0-7", "1:0-7"],
}
LOCAL = [{"name": "su1", "hosts": "localhost"}]


def program(name: str, package: str, *, says: str = "") -> str:
    """Return the path of a launcher."""
    path = shutil.which(name)
    if path is not None and says:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        path = path if says in done.stdout else None
    if path is None:
        missing_judge(f"{name} (Debian package {package})")
    assert path is not None
    return path


def write(folder: Path, order: Order, form: str) -> None:
    """Write all parts of an export."""
    exporter = exporters[form]
    for file in export(order, exporter, tuple(exporter.parts)).files:
        (folder / file.path).write_text(file.text)


def run(folder: Path, *words: str, **environment: str) -> str:
    """Return what a launcher prints; root may start it, as in a container."""
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **allowed, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.stdout + done.stderr


def test_open_mpi_binds_ranks_at_the_numa_nodes_of_their_gpus(tmp_path: Path) -> None:
    mpirun = program("mpirun", "openmpi-bin", says="Open MPI")
    write(tmp_path, Order(fabric(units=LOCAL, **HOST)), "openmpi")
    words = (mpirun, "--hostfile", "hostfile", "-rf", "rankfile", "-np", "4", "--display-map")
    said = run(tmp_path, *words, "true", HWLOC_SYNTHETIC=MACHINE)
    found = re.findall(r"Process rank: (\d+) Bound: .*(\[[B/.]+\]\[[B/.]+\])", said)
    free, used = "../../../..", "BB/BB/BB/BB"
    first, second, idle = f"{used}/{free}", f"{free}/{used}", f"{free}/{free}"
    assert found == [
        ("0", f"[{first}][{idle}]"),
        ("1", f"[{second}][{idle}]"),
        ("2", f"[{idle}][{first}]"),
        ("3", f"[{idle}][{second}]"),
    ], said


def test_open_mpi_fills_the_hosts_in_order(tmp_path: Path) -> None:
    mpirun = program("mpirun", "openmpi-bin", says="Open MPI")
    order = Order(fabric(**HOST), nodes=5)
    write(tmp_path, order, "openmpi")
    words = ("--hostfile", "hostfile", "--map-by", "slot", "--bind-to", "none", "-np", "20")
    said = run(tmp_path, mpirun, *words, "--do-not-launch", "--display-map", "true")
    places, host = [], ""
    for node, rank in re.findall(r"Data for node: (\S+)|Process rank: (\d+)", said):
        host = node or host
        places += [(int(rank), host)] if rank else []
    assert places == [(rank.rank, rank.host) for rank in order.placement.ranks], said


#: Program and package, hosts, script, and the variables that hold rank and local rank. Open MPI
#: would reach other hosts by SSH; Hydra can start everything here.
SCRIPTS = {
    "openmpi": (
        ("mpirun", "openmpi-bin", "Open MPI"),
        "localhost",
        "mpirun.sh",
        "$OMPI_COMM_WORLD_RANK $OMPI_COMM_WORLD_LOCAL_RANK",
    ),
    "hydra": (
        ("mpiexec.hydra", "mpich", ""),
        "a[1-2]",
        "mpiexec.sh",
        "$PMI_RANK $MPI_LOCALRANKID",
    ),
}


#: What a rank runs: it ends when all ranks have printed. Hydra loses the output of a job of which
#: one host ends before it has reached the other ("write error (Broken pipe)").
RANK = """
echo "said {rank} $NCCL_IB_HCA $1"
touch "ended.{file}"
until [ "$(ls ended.* | wc -l)" -eq {ranks} ]; do sleep 0.1; done
"""


@pytest.mark.parametrize("form", SCRIPTS)
def test_the_scripts_start_the_ranks_with_their_environment(form: str, tmp_path: Path) -> None:
    (name, package, says), hosts, script, rank = SCRIPTS[form]
    program(name, package, says=says)
    built = fabric(units=[{"name": "su1", "hosts": hosts}], **HOST)
    order = Order(built, nodes=len(built.hosts))
    write(tmp_path, order, form)
    line = RANK.format(rank=rank, file=rank.split()[0], ranks=len(order.placement.ranks))
    words = ("sh", script, "sh", "-c", line, "-", "an argument")
    said = run(tmp_path, *words, HYDRA_LAUNCHER="fork")
    lines = sorted(re.findall(r"said (\d+) (\d+) (\S+) (.*)", said))
    hca = order.environments[order.placement.hosts[0]].values["NCCL_IB_HCA"]
    assert lines == [
        (str(one.rank), str(one.local_rank), hca, "an argument") for one in order.placement.ranks
    ], said
