"""The real slurmctld loads our topology.conf, and its scontrol folds names as we do."""

from __future__ import annotations

import getpass
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric.change.jobs import listed
from fabric.core import hostlist
from fabric.exchange.jobs import parse_jobs
from fabric.placement.exporters.slurm import partitions, slurm
from fabric.placement.tree import Group, tree
from fabric.topology import Fabric
from tests.judges.conftest import missing_judge
from tests.placement.test_slurm import CASES
from tests.topology.fabrics import example, fabric

START_S = 20.0
#: What our files are about; slurmctld also complains of mail, PMIx, HTTP, ports and clients.
_OURS = "topolog|switch|block|node|partition|feature|weight|configuration|unrecognized|pars(e|ing)"
_USUAL = "state (save )?file|http_parser"
_APART = "no switch can reach all nodes"
CONFIGURATION = """\
ClusterName=judge
SlurmctldHost={host}(127.0.0.1)
SlurmctldAddr=127.0.0.1
SlurmctldPort={port}
SlurmdPort={slurmd_port}
SlurmUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
TopologyPlugin=topology/tree
NodeName={nodes} NodeAddr=127.0.0.1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
"""


def _program(name: str) -> str:
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if path is None:
        missing_judge(f"{name} (Debian packages slurmctld and slurm-client)")
    assert path is not None
    return path


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def _configure(folder: Path, nodes: str, topology: str) -> dict[str, str]:
    (folder / "state").mkdir(exist_ok=True)
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(
            host=socket.gethostname(),
            port=_free_port(),
            slurmd_port=_free_port(),
            user=getpass.getuser(),
            folder=folder,
            nodes=nodes,
        ),
        encoding="utf-8",
    )
    (folder / "topology.conf").write_text(topology, encoding="utf-8")
    return {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": "/usr/bin:/bin"}


@contextmanager
def _controller(folder: Path, nodes: str, topology: str) -> Iterator[dict[str, str]]:
    """Run slurmctld in the foreground until it answers; end it by its own process."""
    environment = _configure(folder, nodes, topology)
    with _running(folder, environment):
        yield environment


@contextmanager
def _running(folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run slurmctld with a configuration that is written."""
    with (
        (folder / "stderr").open("wb") as stderr,
        subprocess.Popen(
            [_program("slurmctld"), "-D", "-c"], env=environment, stdout=stderr, stderr=stderr
        ) as process,
    ):
        try:
            deadline = time.monotonic() + START_S
            while process.poll() is None and time.monotonic() < deadline:
                if " is UP" in _scontrol(environment, "ping", check=False):
                    break
                time.sleep(0.1)
            yield
        finally:
            process.terminate()


def _scontrol(environment: dict[str, str], *words: str, check: bool = True) -> str:
    done = subprocess.run(
        [_program("scontrol"), *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert not check or done.returncode == 0, done.stderr
    return done.stdout


def _log(folder: Path) -> str:
    file = folder / "slurmctld.log"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _switches(text: str) -> dict[str, tuple[int, list[str], list[str]]]:
    """Return level, nodes and switches of each switch of ``scontrol show topology``."""
    found = {}
    for line in text.splitlines():
        fields = dict(re.findall(r"(\w+)=(\S*)", line))
        found[fields["SwitchName"]] = (
            int(fields["Level"]),
            hostlist.expand(fields["Nodes"]),
            hostlist.expand(fields["Switches"]) if fields.get("Switches") else [],
        )
    return found


@pytest.mark.parametrize("name", CASES)
def test_slurmctld_reads_the_topology(name: str, tmp_path: Path) -> None:
    """Levels, nodes and children of ``scontrol show topology`` are the tree.

    No complaint but about units that no spine connects, as it is.
    """
    built = CASES[name]()
    made = tree(built)
    nodes = hostlist.fold(built.hosts.names)
    with _controller(tmp_path, nodes, slurm(built)) as environment:
        found = _switches(_scontrol(environment, "show", "topology"))
    below = {group.name: group for group in made.groups}
    levels = [made.units, made.pods, (made.core,) if made.core else ()]
    expected = {
        group.name: (level, sorted(_hosts(group, below)), [] if group.unit else [*group.members])
        for level, groups in enumerate(filter(None, levels))
        for group in groups
    }
    assert {key: (row[0], sorted(row[1]), row[2]) for key, row in found.items()} == expected
    complaints = _complaints(tmp_path)
    assert [_APART in line for line in complaints] == [True] * made.apart


def _hosts(group: Group, below: dict[str, Group]) -> list[str]:
    if group.unit:
        return list(group.members)
    return [host for name in group.members for host in _hosts(below[name], below)]


def _complaints(folder: Path) -> list[str]:
    """Return lines of the log that complain of our files."""
    lines = [line.partition("] ")[2].lower() for line in _log(folder).splitlines()]
    wrong = [line for line in lines if re.search("error|warning|fatal", line)]
    return [line for line in wrong if re.search(_OURS, line) and not re.search(_USUAL, line)]


@contextmanager
def _partitioned(
    folder: Path, built: Fabric, degraded: frozenset[str] = frozenset()
) -> Iterator[dict[str, str]]:
    """Run slurmctld with our partitions; the release knows no ``Topology=``: without that word."""
    text = partitions(built, degraded)
    text = re.sub(r" Topology=\S+", "", text).replace(" Features=", " NodeAddr=127.0.0.1 Features=")
    (folder / "partitions.conf").write_text(text, encoding="utf-8")
    environment = _configure(folder, "", slurm(built))
    file = folder / "slurm.conf"
    kept = [line for line in file.read_text().splitlines() if not line.startswith("NodeName=")]
    file.write_text("\n".join([*kept, "Include partitions.conf", ""]))
    with _running(folder, environment):
        yield environment


def test_slurmctld_keeps_tenants_apart(tmp_path: Path) -> None:
    with _partitioned(tmp_path, example("tenants")) as environment:
        known = _scontrol(environment, "--oneliner", "show", "partitions")
        asked = {
            (tenant, partition): _submitted(environment, f"tenant-{tenant}", partition)
            for tenant in ("red", "blue")
            for partition in ("roce-red", "blocks-blue")
        }
    nodes = dict(re.findall(r"PartitionName=(\S+) .*? Nodes=(\S+)", known))
    assert nodes["roce-red"] == "gpu[001,003]"
    assert nodes["blocks-blue"] == "gpu[002,004]"
    assert [words for words, is_taken in asked.items() if is_taken] == [
        ("red", "roce-red"),
        ("blue", "blocks-blue"),
    ]
    assert _complaints(tmp_path) == []


def test_slurmctld_reads_features_and_partitions(tmp_path: Path) -> None:
    built = example("three-tier")
    with _partitioned(tmp_path, built, frozenset({"gpu07"})) as environment:
        nodes = _scontrol(environment, "--oneliner", "show", "nodes")
        known = _scontrol(environment, "--oneliner", "show", "partitions")
        asked = [_submitted(environment, word) for word in ("unit-rack2&degraded", "unit-rack9")]
    features = dict(re.findall(r"NodeName=(\S+) .*?ActiveFeatures=(\S+)", nodes))
    assert features["gpu07"] == "unit-rack2,pod-east,rails-4,degraded"
    assert sorted(features) == sorted(built.hosts.names)
    assert asked == [True, False]
    assert [word in known for word in ("PartitionName=roce ", "PartitionName=blocks ")] == [
        True
    ] * 2
    assert _complaints(tmp_path) == []


def _submitted(environment: dict[str, str], constraint: str, partition: str = "roce") -> bool:
    """Say whether Slurm takes a job with a constraint; it does not with an unknown feature."""
    words = [
        f"--constraint={constraint}",
        f"--partition={partition}",
        "--chdir=/tmp",
        "--wrap=true",
    ]
    done = subprocess.run(
        [_program("sbatch"), *words], env=environment, capture_output=True, check=False, timeout=60
    )
    return done.returncode == 0


def test_slurmctld_refuses_a_switch_that_is_named_twice(tmp_path: Path) -> None:
    """The judge does refuse; and it is why a unit may not be named as the root."""
    topology = slurm(fabric()).replace("SwitchName=su2-", "SwitchName=su1-")
    with _controller(tmp_path, "a[1-3],b[1-2]", topology) as environment:
        assert _scontrol(environment, "show", "topology", check=False) == ""
    assert "fatal" in _log(tmp_path)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which scontrol works by itself."""
    _program("scontrol")
    return _configure(tmp_path_factory.mktemp("slurm"), "n1", "SwitchName=s Nodes=n1\n")


NAMES = st.builds(
    "{}{}".format,
    st.sampled_from(["n", "gpu-a", "leaf-1-"]),
    st.builds(lambda value, width: f"{value:0{width}d}", st.integers(0, 30), st.integers(1, 3)),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(names=st.lists(NAMES, min_size=1, max_size=12, unique=True))
def test_names_are_those_of_slurm(environment: dict[str, str], names: list[str]) -> None:
    """Slurm expands our text to the names, and we expand Slurm's."""
    ours = hostlist.fold(names)
    assert _scontrol(environment, "show", "hostnames", ours).split() == hostlist.expand(ours)
    theirs = _scontrol(environment, "show", "hostlistsorted", ",".join(names)).strip()
    assert sorted(hostlist.expand(theirs)) == sorted(names)


@pytest.mark.parametrize(
    "names",
    [
        "n1,n2,n3,n10,n011,gpu-a1,gpu-a2",
        "n9,n10",
        "n99,n100,n101",
        "n01,n1,n2",
        "n098,n099,n100,n101",
        "a8,a9,a10,a010,a11",
        "leaf-1-1,leaf-1-2,leaf-2-1",
        "n01,n02,n04,n14,n15",
        "n01,n02,n03,n4,n5,n10,n011",
        "n0,n00,n1,n01,n99,n100",
    ],
)
def test_folding_is_that_of_slurm(environment: dict[str, str], names: str) -> None:
    """Character by character."""
    theirs = _scontrol(environment, "show", "hostlistsorted", names).strip()
    assert hostlist.fold(names.split(",")) == theirs


def test_squeue_lists_jobs_as_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both commands of docs/changes.md, by the real client: a job that waits has no host."""
    page = (Path(__file__).parents[2] / "docs/changes.md").read_text()
    block = page[page.index("rollout:\n") :].split("```", 1)[0]
    commands = yaml.safe_load(block)["rollout"]["jobs"]
    made = example("demo")
    with _controller(tmp_path, hostlist.fold(made.hosts.names), slurm(made)) as environment:
        monkeypatch.setenv("SLURM_CONF", environment["SLURM_CONF"])
        every = [*commands["running"][:2], commands["running"][-1]]
        assert listed(commands["running"], 60) == listed(commands["failed"], 60) == {}
        sbatch = [_program("sbatch"), "--nodes=2", "--chdir=/tmp", "--wrap=true"]
        subprocess.run(sbatch, env=environment, check=True, capture_output=True, timeout=60)
        done = subprocess.run(every, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["1"]
    assert parse_jobs(done.stdout, "squeue") == {}
