"""An inventory of eight RoCE NICs against the GID table that such a host printed."""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
from functools import cache
from pathlib import Path

import pytest
import yaml

from fabric.design.host import HostDesigner
from fabric.intent.resolve import PolicyResolver
from fabric.observe.hostfacts.gids import Gid
from fabric.observe.hostfacts.ibstat import parse_show_gids
from fabric.placement.gids import expected_gids
from fabric.systems.host.render import render_host
from fabric.topology import Fabric
from tests.cli.runs import everything_below, run
from tests.reference import SHARED, reference
from tests.topology.fabrics import INVENTORY, example

REAL = "fixtures/host/show_gids.a100-8xroce.spaces.txt"
EIGHT = INVENTORY / "eight-slash-27"
DEVICES = [f"mlx5_{number}" for number in range(1, 9)]

#: What the Linux kernel puts into the table of a port with one IPv4 address, for two ports of nine.
SHORT = """\
DEV PORT INDEX GID IPv4 VER DEV
--- ---- ----- --- ------------ --- ---
mlx5_0 1 0 fe80:0000:0000:0000:f820:20ff:fe28:c769 v1 eth0
mlx5_0 1 1 fe80:0000:0000:0000:f820:20ff:fe28:c769 v2 eth0
mlx5_0 1 2 0000:0000:0000:0000:0000:ffff:0a00:3c03 10.0.60.3 v1 eth0
mlx5_0 1 3 0000:0000:0000:0000:0000:ffff:0a00:3c03 10.0.60.3 v2 eth0
mlx5_1 1 0 fe80:0000:0000:0000:eaeb:d3ff:fecc:c920 v1 eth1
mlx5_1 1 1 fe80:0000:0000:0000:eaeb:d3ff:fecc:c920 v2 eth1
mlx5_1 1 2 0000:0000:0000:0000:0000:ffff:190b:8002 25.11.128.2 v1 eth1
mlx5_1 1 3 0000:0000:0000:0000:0000:ffff:190b:8002 25.11.128.2 v2 eth1
"""


@cache
def eight() -> Fabric:
    return example("eight-slash-27")


def netplan() -> dict[str, str]:
    """Return address by interface, as the rendered netplan sets it on the first host."""
    design = HostDesigner(eight(), PolicyResolver(eight().intent)).design(0)
    (text,) = [item.text for item in render_host(design) if item.kind == "netplan"]
    return {
        name: port["addresses"][0]
        for name, port in yaml.safe_load(text)["network"]["ethernets"].items()
    }


def rows(table: tuple[Gid, ...]) -> list[tuple[str, str, str, int | None]]:
    """Return the RoCEv2 entries with an IPv4 address, of all but the management NIC."""
    return [
        (gid.device, gid.interface, gid.address, gid.index)
        for gid in table
        if gid.address and gid.version == "v2" and gid.device != "mlx5_0"
    ]


def expected() -> list[tuple[str, str, str, int | None]]:
    return [
        (gid.rdma_device, gid.interface, gid.address, gid.index)
        for gid in expected_gids(eight(), "node001")
    ]


def real() -> tuple[Gid, ...]:
    return parse_show_gids(reference(REAL).read_text())


def test_gids_are_those_of_the_host() -> None:
    table = real()
    assert expected() == rows(table)
    assert [gid[0] for gid in expected()] == DEVICES


def test_gids_are_those_of_a_short_table() -> None:
    assert expected()[:1] == rows(parse_show_gids(SHORT))


def test_netplan_sets_those_addresses() -> None:
    addresses = {interface: address for _, interface, address, _ in expected()}
    assert netplan() == {name: f"{address}/27" for name, address in addresses.items()}
    assert addresses["eth1"] == "25.11.128.2"
    assert addresses["eth8"] == "25.11.128.226"
    if (SHARED / REAL).exists():
        results = {gid[1]: gid[2] for gid in rows(real())}
        assert {name: text.partition("/")[0] for name, text in netplan().items()} == results


def picked(table: list[Gid], pool: str, version: str) -> int:
    """Return the index that NCCL 2.21 and later picks (src/transport/net_ib.cc).

    It begins at index 0. An IPv4 entry in the range replaces one of another family at once; then
    only an entry of the wanted type replaces one of another type.
    """
    current = table[0]
    network = ipaddress.ip_network(pool)
    for gid in table[1:]:
        if not gid.address or ipaddress.ip_address(gid.address) not in network:
            continue
        other = gid.version == f"v{version}" and current.version != gid.version
        if not current.address or other:
            current = gid
    return current.index


def test_place_prints_the_lines_of_the_environment() -> None:
    """Quoted, as zsh takes ``=eth0`` for the path of a program."""
    words = (EIGHT, "--nodes", "2")
    lines = [line for line in run("place", *words).out.splitlines() if line.startswith("export")]
    assert lines == run("export", "environment", *words).out.splitlines()
    assert "export NCCL_SOCKET_IFNAME='=" in lines[0]


@pytest.mark.parametrize("source", ["real", "short"])
def test_nccl_picks_them_by_our_settings(source: str) -> None:
    """The way from an address range to a GID, on the table of the host."""
    table = real() if source == "real" else parse_show_gids(SHORT)
    result = json.loads(run("place", EIGHT, "--format", "json").out)
    env = result["environment"]
    names = env["NCCL_IB_HCA"].removeprefix("=").split(",")
    assert names == DEVICES
    for name in [name for name in names if any(gid.device == name for gid in table)]:
        mine = [gid for gid in table if gid.device == name]
        index = picked(mine, env["NCCL_IB_ADDR_RANGE"], env["NCCL_IB_ROCE_VERSION_NUM"])
        (target,) = [gid for gid in result["gids"]["node001"] if gid["rdma_device"] == name]
        assert index == target["index"] == 3
        assert mine[index].version == "v2"


ASKED = {
    "NCCL_IB_HCA": "=" + ",".join(DEVICES),
    "NCCL_SOCKET_IFNAME": "=eth0",
    "NCCL_IB_TIMEOUT": "22",
    "NCCL_IB_QPS_PER_CONNECTION": "8",
}


def variables(text: str) -> dict[str, str]:
    """Return the environment of the first rank of a PyTorchJob."""
    master = yaml.safe_load(text)["spec"]["pytorchReplicaSpecs"]["Master"]
    (box,) = master["template"]["spec"]["containers"]
    names = [row["name"] for row in box["env"]]
    assert len(set(names)) == len(names)
    return {row["name"]: row["value"] for row in box["env"]}


def test_the_manifest_of_a_job() -> None:
    ended = run("export", "k8s", EIGHT, "--what", "pytorchjob", "--image", "train:1")
    assert (ended.code, ended.err) == (0, "")
    assert ASKED.items() <= variables(ended.out).items()


def test_the_devices_of_the_user_stay(tmp_path: Path) -> None:
    built = run("export", "k8s", EIGHT, "--what", "pytorchjob", "--image", "train:1").out
    body = yaml.safe_load(built)
    box = body["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"][0]
    box["env"] = [{"name": "NCCL_IB_HCA", "value": "mlx5_1,mlx5_2"}]
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(body))
    ended = run("export", "k8s", EIGHT, "--what", "pytorchjob", "--template", file)
    assert ended.code == 0
    result = variables(ended.out)
    assert result["NCCL_IB_HCA"] == "mlx5_1,mlx5_2"
    assert {n: v for n, v in ASKED.items() if n != "NCCL_IB_HCA"}.items() <= result.items()
    assert f"{file}:" in ended.err
    assert "NCCL_IB_HCA is 'mlx5_1,mlx5_2' and is kept" in ended.err
    assert "[PLC010]" in ended.err


def test_a_file_of_the_user_stays(tmp_path: Path) -> None:
    file = tmp_path / "my.env"
    file.write_text("NCCL_IB_HCA=mlx5_1\n")
    ended = run("export", "nccl", EIGHT, "--environment", file)
    assert ended.code == 0
    assert "\nNCCL_IB_HCA=mlx5_1\n" in ended.out
    assert f"{file}:1:1: NCCL_IB_HCA is 'mlx5_1' and is kept" in ended.err


def test_degraded_hosts_are_tainted() -> None:
    ended = run("export", "k8stopo", EIGHT, "--degraded", "node[001-002]")
    assert ended.code == 0
    assert ended.out.count("key: rocefab.io/degraded\n    effect: NoSchedule\n") == 2


def test_files_in_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = run("export", "openmpi", EIGHT, "--nodes", 2, "--out", out)
    assert (ended.code, ended.out) == (0, "")
    assert set(everything_below(out)) == {"hostfile", "mpirun.sh", "manifest.json"}
    assert os.access(out / "mpirun.sh", os.X_OK)
    (out / "hostfile").write_text("mine\n")
    assert run("export", "openmpi", EIGHT, "--nodes", 2, "--out", out).code == 2
    assert (out / "hostfile").read_text() == "mine\n"


REFUSED = {
    "a host that there is not": ("nccl --exclude node999", "host 'node999'"),
    "a degraded host": ("k8stopo --degraded node999", "cannot taint host 'node999'"),
    "a range": ("k8stopo --degraded node[1-", "node[1-"),
    "a release": ("nccl --nccl-version 2.11.4", "PLC005"),
    "a part": ("k8s --what secrets", "unknown part 'secrets'; available: cluster-policy"),
    "no image": ("k8s --what pytorchjob", "the job has no image"),
    "a name": ("k8s --what pytorchjob --image a --name A_b", "'A_b' is not a valid job name"),
    "too large": ("taco --nodes 5", "5 hosts are needed"),
    "PCI addresses": ("k8s --what nic-settings", "fabric.yaml:"),
    "a template that does not exist": ("k8s --what mpijob --template no.yaml", "no.yaml"),
    "an environment that does not exist": ("nccl --environment no.env", "no.env: "),
    "versions that are not there": ("k8s --what mpijob --cluster-versions no.txt", "no.txt: "),
    "a template with a tag": ("k8s --what mpijob --template tag.yaml", "tag.yaml:1:"),
    "two documents": ("k8s --what mpijob --template two.yaml", "two.yaml:"),
    "a command": ("taco --command '\"a'", "is not valid shell syntax"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_writes_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line, message = REFUSED[name]
    shutil.copytree(EIGHT, tmp_path / "inv")
    (tmp_path / "tag.yaml").write_text("kind: !!python/object:os.system x\n")
    (tmp_path / "two.yaml").write_text("kind: MPIJob\n---\nkind: Secret\n")
    monkeypatch.chdir(tmp_path)
    before = everything_below(tmp_path)
    form, _, rest = line.partition(" ")
    words = [word.strip("'") for word in rest.split(" ")]
    ended = run("export", form, "inv", *words, "--out", "out")
    assert (ended.code, ended.out) == (4 if name == "too large" else 2, "")
    assert message in ended.err.replace("\n", " ")
    assert everything_below(tmp_path) == before


def test_a_cluster_of_other_versions(tmp_path: Path) -> None:
    file = tmp_path / "versions.txt"
    file.write_text("apps/v1\nkubeflow.org/v2beta1\n")
    words = ("export", "k8s", EIGHT, "--image", "a", "--cluster-versions", file, "--what")
    assert run(*words, "mpijob", "--command", "hostname").code == 0
    ended = run(*words, "pytorchjob")
    assert ended.code == 2
    assert (
        "the cluster does not serve kubeflow.org/v1, the API version of PyTorchJob; it serves"
        in (ended.err)
    )


def test_ranks_of_a_large_job_are_listed_on_request() -> None:
    rail = ("place", "inventory/rail-512", "--nodes", "5")
    short, whole = run(*rail).out, run(*rail, "--ranks").out
    assert short.endswith("\n40 ranks, in the order of the hosts; --ranks lists them\n")
    assert whole.startswith(short.rsplit("\n", 2)[0])
    assert len(whole.split("\nrank ")[1].splitlines()) == 42
    assert "\nrank  host" in run("place", "inventory/rail-512", "--nodes", "4").out
