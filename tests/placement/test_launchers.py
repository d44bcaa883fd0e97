"""Files for launchers: golden output of the demo, and what must hold of each form."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.exports import About, export, exporters, forms
from fabric.placement.environment import UserValue
from fabric.placement.export import Order
from fabric.topology import Fabric
from tests.topology.fabrics import EXAMPLES, example, fabric

GOLDEN = Path(__file__).parents[1] / "golden" / "jobs"
#: Exporters with golden files of their own kind, beside those of launchers.
OTHERS = {"slurm": GOLDEN.parent / "slurm", "k8s": GOLDEN.parent / "k8s"}
#: Compared with captures of NCCL, see test_nccltopo.
CAPTURED = {"nccltopo"}
STAND_INS = (
    "mpirun",
    "mpiexec.hydra",
    "horovodrun",
    "torchrun",
    "deepspeed",
    "stand-in",
    "hostname",
)
FORMS = sorted(set(forms(About.JOB)) - set(OTHERS) - CAPTURED)


def files(order: Order, form: str) -> dict[str, str]:
    """Return all parts of an export by path; a rankfile needs more than the examples tell."""
    exporter = exporters[form]
    done = export(order, exporter, tuple(part for part in exporter.parts if part != "rankfile"))
    return {file.path: file.text for file in done.files}


def one(order: Order, form: str, part: str) -> str:
    """Return the only file of a part."""
    (file,) = export(order, exporters[form], (part,)).files
    return file.text


def test_the_page_tells_which_parts_are_written() -> None:
    """In its table, those that are written without being named, and those on request."""
    page = (Path(__file__).parents[2] / "docs" / "jobs.md").read_text()
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (`[^|]+) \|", page, re.MULTILINE)
    told = {form: parts for form, parts in rows if form in exporters}
    assert {"slurm", "environment", "openmpi"} <= set(told)
    for form, parts in told.items():
        named = re.findall(r"`([a-z-]+)`( \(on request\))?", parts)
        exporter = exporters[form]
        usual = [part for part, on_request in named if not on_request]
        assert usual == [*exporter.written(())], form
        assert {part for part, _ in named} == {*exporter.parts}, form


@pytest.mark.parametrize("form", sorted(set(forms(About.JOB)) - CAPTURED))
def test_every_exporter_has_golden_files(form: str) -> None:
    folder = OTHERS.get(form, GOLDEN / "demo" / form)
    assert folder.is_dir(), (
        f"no golden files for {form}: run pytest tests/placement --update-golden"
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["demo", "eight-slash-27"])
def test_golden(form: str, name: str, *, update_golden: bool) -> None:
    built = files(Order(example(name), nodes=2), form)
    folder = GOLDEN / name / form
    if update_golden:
        for path, text in built.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    far = [path for path in folder.rglob("*") if path.is_file()]
    assert {str(path.relative_to(folder)): path.read_text() for path in far} == built


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_list_is_in_rank_order(name: str) -> None:
    order = Order(example(name), nodes=2, gpus_per_node=1)
    hosts = list(order.placement.hosts)
    for form in ("openmpi", "horovod", "taco", "deepspeed"):
        assert one(order, form, "hostfile") == "".join(f"{host} slots=1\n" for host in hosts)
    assert one(order, "hydra", "machinefile") == "".join(f"{host}:1\n" for host in hosts)
    table = one(order, "torchrun", "table").splitlines()
    assert table == ["node_rank,host", *(f"{number},{host}" for number, host in enumerate(hosts))]
    for form, first in (
        ("torchrun", f"--master-addr {hosts[0]} "),
        ("jax", f"JAX_COORDINATOR_ADDRESS={hosts[0]}:1234\n"),
    ):
        script = one(order, form, "script")
        assert re.findall(r"(\S+)\) node_rank=(\d+)", script) == [
            (host, str(number)) for number, host in enumerate(hosts)
        ]
        assert first in script


def numa(nodes: list[int], cores: list[str], hosts: str = "") -> Fabric:
    """Return a fabric whose hosts have a GPU for each entry of ``nodes``."""
    return fabric(
        "", hosts, host__gpus=len(nodes), host__gpu={"numa_nodes": nodes}, host__numa_cores=cores
    )


#: NUMA nodes of the GPUs, cores of the nodes, GPUs of the job, and the cores of its ranks.
PINNED: dict[str, tuple[list[int], list[str], int, list[str]]] = {
    "a node per package": (
        [0, 0, 1, 1],
        ["0:0-15", "1:0-15"],
        4,
        ["0:0-7", "0:8-15", "1:0-7", "1:8-15"],
    ),
    "GPUs of the job alone": ([0, 0, 1, 1], ["0:0-15", "1:0-15"], 3, ["0:0-7", "0:8-15", "1:0-7"]),
    "two nodes per package": (
        [0, 1, 2, 3],
        ["0:0-3", "0:4-7", "1:0-3", "1:4-7"],
        4,
        ["0:0-3", "0:4-7", "1:0-3", "1:4-7"],
    ),
    "second package first": ([1, 0], ["0:0-5", "1:0-5"], 2, ["1:0-5", "0:0-5"]),
    "a rest stays free": ([0, 0, 0], ["0:0-7"], 3, ["0:0-1", "0:2-3", "0:4-5"]),
    "a core each": ([0, 0], ["0:4-5"], 2, ["0:4", "0:5"]),
}


@pytest.mark.parametrize("case", PINNED)
def test_ranks_are_pinned_near_to_their_gpus(case: str) -> None:
    nodes, cores, gpus, expected = PINNED[case]
    order = Order(numa(nodes, cores), nodes=2, gpus_per_node=gpus)
    found = re.findall(
        r"^rank (\d+)=(\S+) slot=(\S+)$", one(order, "openmpi", "rankfile"), re.MULTILINE
    )
    assert found == [
        (str(rank.rank), rank.host, expected[rank.local_rank]) for rank in order.placement.ranks
    ]


def test_hosts_may_have_other_cores() -> None:
    other = "hosts:\n  - {names: a2, traits: {numa_cores: ['1:0-3']}}\n"
    order = Order(numa([0, 0], ["0:0-7"], other), nodes=3)
    text = one(order, "openmpi", "rankfile")
    assert "rank 1=a1 slot=0:4-7\nrank 2=a2 slot=1:0-1\nrank 3=a2 slot=1:2-3\n" in text


UNPINNED: dict[str, tuple[list[int] | None, list[str], str]] = {
    "nothing known": (None, [], "a rankfile needs the NUMA node of every GPU; 0 are set"),
    "no cores": ([0, 0], [], "the cores of NUMA node 0 are not known, or fewer than its GPUs"),
    "one node": ([0, 1], ["0:0-7"], "the cores of NUMA node 1 are not known"),
    "few cores": ([0, 0], ["0:0-0"], "or fewer than its GPUs"),
}


@pytest.mark.parametrize("case", UNPINNED)
def test_no_core_is_guessed(case: str) -> None:
    nodes, cores, message = UNPINNED[case]
    built = fabric() if nodes is None else numa(nodes, cores)
    with pytest.raises(InputError) as caught:
        one(Order(built, nodes=2), "openmpi", "rankfile")
    (finding,) = caught.value.findings
    assert (finding.rule, finding.device) == ("PLC012", "b1")
    assert message in str(finding)
    assert list(files(Order(built, nodes=2), "openmpi")) == ["hostfile", "mpirun.sh"]


@pytest.mark.parametrize("cores", ["0-7", "0:7-0", "0:0-7,9", "a:0-1"])
def test_cores_of_another_form(cores: str) -> None:
    with pytest.raises(InputError) as caught:
        numa([0], [cores])
    assert "0:0-31" in str(caught.value.findings[0])


def test_the_inner_group_is_the_gpus_of_a_host() -> None:
    order = Order(example("rail-512"), nodes=2, gpus_per_node=4)
    words = shlex.split(one(order, "taco", "command").partition("exec ")[2])
    assert {"LIGHT_INTRA_SIZE=4", "LIGHT_2D_ALLREDUCE=1"} <= set(words)
    assert words[words.index("-np") + 1] == "8"
    assert words[words.index("--map-by") + 1] == "slot"


@pytest.mark.parametrize("value", ['a"b', "$HOME", "`id`", "a\\b"])
def test_deepspeed_hands_nothing_to_a_shell(value: str) -> None:
    order = Order(example("demo"), users={"MINE": UserValue(value)})
    with pytest.raises(InputError) as caught:
        one(order, "deepspeed", "environment")
    assert "MINE holds one of" in str(caught.value.findings[0])


@pytest.mark.parametrize("form", ["openmpi", "horovod", "taco"])
def test_the_user_wins_in_every_form(form: str) -> None:
    users = {"NCCL_IB_HCA": UserValue("it's mine"), "LIGHT_INTRA_SIZE": UserValue("2")}
    done = export(Order(example("demo"), users=users), exporters[form], ("command",))
    words = shlex.split(done.files[0].text.replace("export ", ""))
    assert "NCCL_IB_HCA=it's mine" in words
    assert "LIGHT_INTRA_SIZE=2" in words
    assert [note.rule for note in done.notes] == ["PLC010"]


def test_another_inner_group_is_told() -> None:
    users = {"LIGHT_INTRA_SIZE": UserValue("8")}
    done = export(Order(example("demo"), users=users), exporters["taco"], ("command",))
    assert ["LIGHT_INTRA_SIZE is '8' and is kept" in str(note) for note in done.notes] == [True]


def test_no_comment_of_a_conf_is_a_setting() -> None:
    """A release that knows no comments takes a line with an equals sign as a variable."""
    users = {"NCCL_ALGO": UserValue("Ring")}
    text = one(Order(example("demo"), users=users), "nccl", "conf")
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert comments
    assert not [line for line in comments if "=" in line]
    assert "NCCL_ALGO=Ring\n" in text
    assert "NCCL_ALGO:" not in text
    assert not [line for line in text.splitlines() if not re.match(r"#|NCCL_\w+=", line)]


def test_hosts_that_differ_have_a_file_each_and_no_common_command() -> None:
    hosts = "hosts:\n  - {names: a2, nics: [{rail: 1, rdma_device: mlx5_9}]}\n"
    order = Order(fabric("", hosts), nodes=3)
    assert sorted(files(order, "nccl")) == ["a1/nccl.conf", "a2/nccl.conf", "a3/nccl.conf"]
    assert "mlx5_9" in files(order, "nccl")["a2/nccl.conf"]
    with pytest.raises(InputError) as caught:
        one(order, "openmpi", "command")
    assert [str(item) for item in caught.value.findings] == [
        (
            "NCCL_IB_HCA, UCX_NET_DEVICES of a2 differ from those of a1; run `rocefab export "
            "nccl --out` and install the files on the hosts [PLC007]"
        )
    ]


def test_a_part_that_there_is_not() -> None:
    with pytest.raises(InputError) as caught:
        export(Order(example("demo")), exporters["openmpi"], ("hosts\n",))
    assert [str(item) for item in caught.value.findings] == [
        (
            "unknown part 'hosts\\n'; available: hostfile, rankfile, command; select one "
            "of them with --what [PLC008]"
        )
    ]


@pytest.mark.parametrize("form", ["deepspeed", "jax", "torchrun"])
def test_shells_find_the_place_of_the_host(form: str, tmp_path: Path) -> None:
    lines = run_scripts(form, Order(example("demo"), nodes=2), tmp_path)
    assert lines[-2:] == ["train.py", "--lr=1 e"]
    expected = {
        "deepspeed": {"DS_ENV_FILE=deepspeed.env", "--hostfile", "gpu001"},
        "torchrun": {"--node-rank", "gpu001"},
        "jax": {
            "JAX_PROCESS_ID=1",
            "JAX_NUM_PROCESSES=2",
            "JAX_LOCAL_DEVICE_IDS=0,1",
            "JAX_COORDINATOR_ADDRESS=gpu001:1234",
        },
    }
    assert expected[form] <= set(lines)


@pytest.mark.parametrize("form", ["environment", "openmpi", "hydra", "horovod", "taco"])
def test_shells_read_what_is_written(form: str, tmp_path: Path) -> None:
    """A real shell starts a stand-in of the launcher and passes every value on."""
    users = {"MINE": UserValue("a 'b' \"c\" $HOME `id` \\")}
    said = run_scripts(form, Order(example("demo"), nodes=2, users=users), tmp_path)
    if form == "hydra":
        assert said[said.index("MINE") + 1] == users["MINE"].value
        assert said[said.index("NCCL_IB_HCA") + 1] == "=mlx5_1,mlx5_2"
    else:
        assert f"MINE={users['MINE'].value}" in said
        assert "NCCL_IB_HCA==mlx5_1,mlx5_2" in said
    if form != "environment":
        assert said[-2:] == ["train.py", "--lr=1 e"]


def run_scripts(form: str, order: Order, folder: Path) -> list[str]:
    """Return what stand-ins of the launchers say that the scripts of a form start."""
    shell = shutil.which("sh")
    assert shell
    scripts = {p: t for p, t in files(order, form).items() if p.endswith(".sh")}
    assert scripts
    for name in STAND_INS:
        says = "echo gpu002" if name == "hostname" else 'env; printf "%s\\n" "$@"'
        (folder / name).write_text(f"#!/bin/sh\n{says}\n")
        (folder / name).chmod(0o755)
    words = ["stand-in", "train.py", "--lr=1 e"] if form == "jax" else ["train.py", "--lr=1 e"]
    said = []
    for path, text in scripts.items():
        file = folder / path
        file.write_text(text + ("env\n" if form == "environment" else ""))
        done = subprocess.run(
            [shell, str(file), *words],
            env={"PATH": f"{folder}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        said += done.stdout.splitlines()
    return said
