"""networkd and the kernel judge the routes of hosts: real ones, in a namespace of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabric.systems.host.adapters import kernel_apart
from fabric.systems.host.adapters.settings import restored
from fabric.systems.host.parsers.settings import settings
from fabric.systems.host.render import render_host
from fabric.workflow.project import Project
from tests.judges.conftest import missing_judge

if TYPE_CHECKING:
    from fabric.design.host_model import HostDesign

INVENTORY = Path(__file__).parents[2] / "inventory"
NETWORKD = Path("/lib/systemd/systemd-networkd")
STACKS = ("netplan-networkd", "networkd")
#: networkd waits for udev unless /sys cannot be written; a veth stands in for each NIC.
START = f"""
mount -t tmpfs none /run
mkdir -p /run/systemd/network /run/systemd/netif/links /run/systemd/netif/leases
chmod -R 777 /run/systemd/netif
mount -o bind /sys /sys && mount -o remount,ro,bind /sys
ip link set lo up
for nic in $NICS; do
    ip link add "$nic" type veth peer name "p$nic"
    ip link set "$nic" up
    ip link set "p$nic" up
done
install -m 644 "$FOLDER"/*.network /run/systemd/network/
timeout 60 {NETWORKD} >/run/networkd.log 2>&1 &
tries=0
until [ "$(ip -4 rule | wc -l)" -ge "$RULES" ] &&
    [ "$(ip -4 route show table all | grep -c 'proto static')" -ge "$ROUTES" ]; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || break
    sleep 0.1
done
kill $!
wait
"""
MARK = "-- next --"


@pytest.fixture(params=STACKS)
def host(request: pytest.FixtureRequest) -> HostDesign:
    """Return a host of the dual-plane fabric with a network stack."""
    return _host("dual-plane", "gpu01", request.param)


def _host(inventory: str, name: str, stack: str) -> HostDesign:
    design = Project(INVENTORY / inventory).hosts[name]
    traits = design.traits.model_copy(update={"network_stack": stack})
    return replace(design, traits=traits)


def _in_namespace(host: HostDesign, folder: Path, commands: list[str]) -> list[str]:
    """Return what commands say once networkd has configured the NICs."""
    for program in (NETWORKD, shutil.which("unshare"), shutil.which("ip")):
        if program is None or not Path(program).exists():
            missing_judge("systemd-networkd, unshare and iproute2 (Debian packages of these names)")
    if subprocess.run(["unshare", "-mn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("namespaces cannot be made here; networkd is asked where the tests run as root")
    for item in render_host(host):
        target = folder / item.path.partition("rootfs/")[2]
        if "rootfs/" in item.path:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(item.content)
            target.chmod(0o600)
    units = folder / "etc/systemd/network"
    if host.traits.network_stack == "netplan-networkd":
        if not shutil.which("netplan"):
            missing_judge("netplan (Debian package netplan.io)")
        subprocess.run(["netplan", "generate", "--root-dir", folder], check=True)
        units = folder / "run/systemd/network"
    planned = _planned(host)
    done = subprocess.run(
        ["unshare", "-mn", "sh", "-c", START + f"; echo '{MARK}'\n".join([*commands, ""])],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "NICS": " ".join(nic.interface for nic in host.nics),
            "FOLDER": str(units),
            "RULES": str(3 + len(host.nics)),
            "ROUTES": str(sum(len(value) for name, value in planned.items() if ":" in name)),
        },
    )
    return done.stdout.split(f"{MARK}\n")[: len(commands)]


def _state(host: HostDesign, routes: str, rules: str) -> dict[str, object]:
    subjects = {
        subject: routes for subject in _planned(host) if subject.startswith(("routes:", "ways:"))
    }
    return settings({**subjects, "rules": rules})


def _planned(host: HostDesign) -> dict[str, list[str]]:
    text = next(item.text for item in render_host(host) if item.kind == "expected-state")
    told: dict[str, list[str]] = json.loads(text)["settings"]
    return {
        name: value
        for name, value in told.items()
        if name == "rules" or name.startswith(("routes:", "ways:"))
    }


READ = ["ip -4 -j route show table all", "ip -j rule show"]


def test_what_networkd_makes_is_what_drift_expects(host: HostDesign, tmp_path: Path) -> None:
    """Of every table, rule and route of the main table."""
    routes, rules = _in_namespace(host, tmp_path, READ)
    live = _state(host, routes, rules)
    assert list(kernel_apart(live, _planned(host))) == []
    last = "unreachable default metric 2147483647 proto static"
    assert all(last in routes for name, routes in live.items() if "/" in name)


@pytest.mark.parametrize("stack", STACKS)
def test_a_nic_on_a_routed_port_leaves_by_its_leaf(stack: str, tmp_path: Path) -> None:
    """By the even address of its pair, to both pools, and to nothing else."""
    host = _host("routed", "gpu003", stack)
    targets = ["10.96.0.1", "10.96.128.1", "10.64.0.2", "192.0.2.1"]
    asked = [
        f"ip -4 -j route get {target} from {nic.address} 2>&1 || true"
        for nic in host.nics
        for target in targets
    ]
    routes, rules, *said = _in_namespace(host, tmp_path, [*READ, *asked])
    assert list(kernel_apart(_state(host, routes, rules), _planned(host))) == []
    for nic in host.nics:
        *inside, outside = said[: len(targets)]
        del said[: len(targets)]
        for answer in inside:
            (way,) = json.loads(answer)
            assert (way["dev"], way["gateway"]) == (nic.interface, nic.gateway)
        assert "No route to host" in outside


def test_nothing_leaves_by_the_other_plane(host: HostDesign, tmp_path: Path) -> None:
    """A bound source keeps to its NIC or fails; an unbound one takes a NIC of the right plane."""
    pairs = [(one, other) for one in host.nics for other in host.nics]
    targets = [nic.address.rpartition(".")[0] + ".77" for nic in host.nics]  # other hosts
    asked = [
        f"ip -4 -j route get {targets[host.nics.index(other)]} from {one.address} 2>&1 || true"
        for one, other in pairs
    ]
    unbound = [f"ip -4 -j route get {target} 2>&1 || true" for target in targets]
    said = _in_namespace(host, tmp_path, [*asked, *unbound])
    for (one, other), answer in zip(pairs, said, strict=False):
        if one.nic_port == other.nic_port:
            assert json.loads(answer)[0]["dev"] == one.interface
        else:
            assert "No route to host" in answer, answer
    planes = {nic.interface: nic.nic_port for nic in host.nics}
    for nic, answer in zip(host.nics, said[len(pairs) :], strict=True):
        assert planes[json.loads(answer)[0]["dev"]] == nic.nic_port


def test_the_way_back_leaves_no_route_or_rule(host: HostDesign, tmp_path: Path) -> None:
    """The commands of a roll back, taken by the kernel."""
    empty = {name: [] for name in _planned(host)}
    addresses = [
        f"ip addr del {nic.address}/{nic.prefix_length} dev {nic.interface}" for nic in host.nics
    ]
    back = "; ".join([*addresses, *restored(empty, _planned(host))])
    routes, rules = _in_namespace(host, tmp_path, [*READ, f"{back}; true", *READ])[-2:]
    assert _state(host, routes, rules) == empty
