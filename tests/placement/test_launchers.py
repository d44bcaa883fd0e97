"""Files for launchers: golden output of the demo, and what must hold of each form."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.placement.environment import UserValue
from fabric.placement.export import Order, export, exporters
from tests.topology.fabrics import EXAMPLES, example, fabric

GOLDEN = Path(__file__).parents[1] / "golden" / "jobs"
#: Exporters with golden files of their own kind, beside those of launchers.
OTHERS = {"slurm": GOLDEN.parent / "slurm", "k8s": GOLDEN.parent / "k8s"}
#: Compared with captures of NCCL, see test_nccltopo.
CAPTURED = {"nccltopo"}
FORMS = sorted(set(exporters) - set(OTHERS) - CAPTURED)


def files(order: Order, form: str) -> dict[str, str]:
    """Return all parts of an export by path."""
    exporter = exporters[form]
    done = export(order, exporter, tuple(exporter.parts))
    return {file.path: file.text for file in done.files}


def one(order: Order, form: str, part: str) -> str:
    """Return the only file of a part."""
    (file,) = export(order, exporters[form], (part,)).files
    return file.text


@pytest.mark.parametrize("form", sorted(set(exporters) - CAPTURED))
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
    for form in ("openmpi", "horovod", "taco"):
        assert one(order, form, "hostfile") == "".join(f"{host} slots=1\n" for host in hosts)
    ranks = re.findall(
        r"^rank (\d+)=(\S+) slot=(\d+)$", one(order, "openmpi", "rankfile"), re.MULTILINE
    )
    assert ranks == [(str(r.rank), r.host, str(r.local_rank)) for r in order.placement.ranks]
    script = one(order, "torchrun", "script")
    assert re.findall(r"(\S+)\) node_rank=(\d+)", script) == [
        (host, str(number)) for number, host in enumerate(hosts)
    ]
    assert f"--master-addr {hosts[0]} " in script


def test_the_inner_group_is_the_gpus_of_a_host() -> None:
    order = Order(example("rail-512"), nodes=2, gpus_per_node=4)
    words = shlex.split(one(order, "taco", "command").partition("exec ")[2])
    assert {"LIGHT_INTRA_SIZE=4", "LIGHT_2D_ALLREDUCE=1"} <= set(words)
    assert words[words.index("-np") + 1] == "8"
    assert words[words.index("--map-by") + 1] == "slot"


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


@pytest.mark.parametrize("form", ["environment", "openmpi", "torchrun", "horovod", "taco"])
def test_shells_read_what_is_written(form: str, tmp_path: Path) -> None:
    """A real shell starts a stand-in of the launcher and passes every value on."""
    shell = shutil.which("sh")
    assert shell
    users = {"MINE": UserValue("a 'b' \"c\" $HOME `id` \\")}
    order = Order(example("demo"), nodes=2, users=users)
    scripts = {p: t for p, t in files(order, form).items() if p.endswith(".sh")}
    assert scripts
    for name in ("mpirun", "horovodrun", "torchrun", "hostname"):
        says = "echo gpu002" if name == "hostname" else 'env; printf "%s\\n" "$@"'
        (tmp_path / name).write_text(f"#!/bin/sh\n{says}\n")
        (tmp_path / name).chmod(0o755)
    for path, text in scripts.items():
        file = tmp_path / path
        file.write_text(text + ("env\n" if form == "environment" else ""))
        done = subprocess.run(
            [shell, str(file), "train.py", "--lr=1 e"],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        said = done.stdout.splitlines()
        if form == "torchrun":
            assert said[said.index("--node-rank") + 1] == "1"
        else:
            assert f"MINE={users['MINE'].value}" in said
            assert "NCCL_IB_HCA==mlx5_1,mlx5_2" in said
        if form != "environment":
            assert said[-2:] == ["train.py", "--lr=1 e"]
