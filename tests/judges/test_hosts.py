"""shellcheck, netplan and systemd judge the files of hosts."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabric.workflow.site import projects_of
from tests.judges.conftest import missing_judge
from tests.render.test_hosts import CASES, VARIANTS, case, files, variant

if TYPE_CHECKING:
    from fabric.design.host_model import HostDesign

SITE = Path(__file__).parents[2] / "inventory" / "site"
PLAIN = [*CASES, ("odd", "a1")]
HOSTS = [*PLAIN, *((name, "a1") for name in VARIANTS)]
NETPLAN = [*PLAIN, ("netplan-ionic", "a1"), ("netplan-path", "a1")]
NETWORKD = ["networkd-mlx5", "networkd-infiniband", "networkd-routed"]
KEYFILES = ["keyfiles-ofed", "keyfiles-bnxt", "keyfiles-routed"]
NETWORKD_PROGRAM = Path("/lib/systemd/systemd-networkd")
SYSCTL = re.compile(
    r"net\.ipv4\.conf\.[A-Za-z][A-Za-z0-9_/-]*\.(arp_ignore|arp_announce|arp_notify|rp_filter)"
    r" = [0-8]|net\.ipv6\.conf\.[A-Za-z][A-Za-z0-9_/-]*\.(accept_ra|use_tempaddr|ndisc_notify)"
    r" = [0-2]|net\.ipv[46]\.neigh\.[A-Za-z][A-Za-z0-9_/-]*\.(base_reachable_time_ms|gc_stale_time)"
    r" = [1-9]\d*|net\.ipv4\.neigh\.default\.gc_thresh[123] = [1-9]\d*"
)


def _program(name: str, package: str) -> str:
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if path is None:
        missing_judge(f"{name} (Debian package {package})")
    assert path is not None
    return path


def _run(*words: str | Path) -> tuple[int, str]:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(params=HOSTS, ids=lambda case: case[0])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a folder that holds the files of one host as on the host."""
    return _written(case(*request.param), tmp_path)


def _written(host: HostDesign, folder: Path) -> Path:
    for path, text in files(host).items():
        if path.startswith("rootfs/"):
            target = folder / path.removeprefix("rootfs/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            target.chmod(0o755 if path.endswith(".sh") else 0o600)
    return folder


def test_shellcheck(root: Path) -> None:
    """The scripts, as POSIX shell, down to matters of style."""
    program = _program("shellcheck", "shellcheck")
    scripts = sorted((root / "etc/rocefab").glob("*.sh"))
    assert len(scripts) > 1
    status, said = _run(program, "--shell=sh", "--severity=style", *scripts)
    assert (status, said) == (0, "")


@pytest.mark.parametrize("root", NETPLAN, indirect=True, ids=lambda case: case[0])
def test_netplan(root: Path) -> None:
    """netplan turns the file into units of networkd, with every address, rule and table."""
    program = _program("netplan", "netplan.io")
    status, said = _run(program, "generate", "--root-dir", root)
    assert (status, said) == (0, "")
    units = list((root / "run/systemd/network").glob("10-netplan-*.network"))
    plan = (root / "etc/netplan/60-rocefab.yaml").read_text(encoding="utf-8")
    addresses = [
        line.replace('"', "").split(", ") for line in re.findall(r"addresses: \[(.+)\]", plan)
    ]
    assert len(units) == len(addresses) > 0
    made = "\n".join(path.read_text(encoding="utf-8") for path in units)
    for address in (address for own in addresses for address in own):
        assert f"Address={address}\n" in made
        assert f"PreferredSource={address.partition('/')[0]}\n" in made
        assert f"From={address.partition('/')[0]}/{128 if ':' in address else 32}\n" in made
    local = "ipv6" if ":" in str(addresses) else "no"
    assert made.count(f"LinkLocalAddressing={local}\n") == len(units)
    assert made.count("MTUBytes=9000\n") == len(units)


def test_two_fabrics_on_one_host(tmp_path: Path) -> None:
    """shellcheck, netplan and systemd take the files of both, side by side in one root."""
    designs = [project.hosts["gpu001"] for project in projects_of(SITE).values()]
    for host in designs:
        _written(host, tmp_path)
    netplan = _program("netplan", "netplan.io")
    assert _run(netplan, "generate", "--root-dir", tmp_path) == (0, "")
    units = sorted(path.name for path in (tmp_path / "run/systemd/network").glob("*.network"))
    assert units == [f"10-netplan-eth{number}.network" for number in range(1, 5)]
    scripts = sorted((tmp_path / "etc/rocefab").rglob("*.sh"))
    assert len(scripts) == 4
    shellcheck = _program("shellcheck", "shellcheck")
    assert _run(shellcheck, "--shell=sh", "--severity=style", *scripts) == (0, "")
    thresholds = {
        tuple(line for line in path.read_text("utf-8").splitlines() if "gc_thresh" in line)
        for path in (tmp_path / "etc/sysctl.d").iterdir()
    }
    assert len(thresholds) == 1


def _keys(text: str) -> dict[str, list[tuple[str, str]]]:
    """Return the keys of a file of sections, by section; order counts for nothing."""
    found: dict[str, list[tuple[str, str]]] = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line
        elif line.strip() and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(section, []).append((name, value))
    return {name: sorted(keys) for name, keys in found.items()}


@pytest.mark.parametrize("name", NETWORKD)
def test_files_of_networkd_are_those_of_netplan(name: str, tmp_path: Path) -> None:
    """Of the same host netplan makes the same units, apart from what is named here."""
    program = _program("netplan", "netplan.io")
    host = variant(name)
    traits = host.traits.model_copy(update={"network_stack": "netplan-networkd"})
    theirs = _written(replace(host, traits=traits), tmp_path / "netplan")
    assert _run(program, "generate", "--root-dir", theirs) == (0, "")
    ours = _written(host, tmp_path / "networkd") / "etc/systemd/network"
    for nic in host.nics:
        made = theirs / f"run/systemd/network/10-netplan-{nic.interface}.network"
        wanted, found = (
            _keys(path.read_text(encoding="utf-8"))
            for path in (made, ours / f"05-rocefab-{nic.interface}.network")
        )
        by_mac = nic.mac and not nic.path
        wanted["[Match]"] = [key for key in wanted["[Match]"] if key[0] != "Name" or not by_mac]
        wanted["[Link]"] = [("MTUBytes", str(nic.mtu_bytes)), ("RequiredForOnline", "no")]
        wanted["[Network]"] = [
            key for key in wanted["[Network]"] if key[0] in {"Address", "LinkLocalAddressing"}
        ]
        found["[Network]"].remove(("IPv6AcceptRA", "no"))
        assert found == wanted
        if by_mac:
            made = theirs / f"run/systemd/network/10-netplan-{nic.interface}.link"
            link = ours / f"05-rocefab-{nic.interface}.link"
            wanted = _keys(made.read_text("utf-8"))
            wanted["[Link]"].remove(("WakeOnLan", "off"))  # netplan's own default
            assert _keys(link.read_text("utf-8")) == wanted


def _networkd_says(folder: Path) -> str:
    """Return what networkd itself says of the files of a folder, in namespaces of its own."""
    if not NETWORKD_PROGRAM.exists():
        missing_judge("systemd-networkd (Debian package systemd)")
    script = (
        "mount -t tmpfs none /run && mkdir -p /run/systemd/netif /run/systemd/network && "
        f"install -m 644 {folder}/* /run/systemd/network/ && "  # networkd is not root
        f"SYSTEMD_LOG_LEVEL=debug SYSTEMD_LOG_TARGET=console timeout 3 {NETWORKD_PROGRAM}; true"
    )
    unshare = _program("unshare", "util-linux")
    if _run(unshare, "-mn", "true")[0]:
        pytest.skip("namespaces cannot be made here; networkd is asked where the tests run as root")
    return _run(unshare, "-mn", "sh", "-c", script)[1]


@pytest.mark.parametrize("name", NETWORKD)
def test_networkd(name: str, tmp_path: Path) -> None:
    """networkd has nothing to say of our files, and of a wrong key it has."""
    folder = _written(variant(name), tmp_path) / "etc/systemd/network"
    said = _networkd_says(folder)
    assert "Enumeration completed" in said
    assert not [line for line in said.splitlines() if "05-rocefab" in line]
    file = folder / "05-rocefab-eth1.network"
    text = file.read_text(encoding="utf-8").replace("Gateway=", "Gate=")
    file.write_text(text, encoding="utf-8")
    assert "Unknown key 'Gate' in section [Route]" in _networkd_says(folder)


def _routes(keys: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Take the routes out of the keys of a file, without their numbers: each with its options."""
    routes = {name: value for name, value in keys["[ipv4]"] if name.startswith("route")}
    keys["[ipv4]"] = [key for key in keys["[ipv4]"] if key[0] not in routes]
    options = {
        name: sorted(routes.pop(f"{name}_options", "").split(","))
        for name in list(routes)
        if not name.endswith("_options")
    }
    return sorted((value, str(options[name])) for name, value in routes.items() if name in options)


@pytest.mark.parametrize("name", KEYFILES)
def test_nmcli(name: str, tmp_path: Path) -> None:
    """nmcli writes the same keys for the same settings, beside defaults of its own."""
    program = _program("nmcli", "network-manager")
    host = variant(name)
    folder = _written(host, tmp_path) / "etc/NetworkManager/system-connections"
    for nic in host.nics:
        route = f"{nic.network} src={nic.address} table={nic.table} scope=253"
        default = f"0.0.0.0/0 2147483647 table={nic.table} type=unreachable"
        for pool in nic.addresses[0].pools:
            default += f", {pool} {nic.gateway} src={nic.address} table={nic.table}"
            if nic.in_main_table:
                default += f", {pool} {nic.gateway} 1024 src={nic.address}"
        rule = f"priority {nic.rule_priority} from {nic.address} table {nic.table}"
        words = (
            *("con-name", f"rocefab-{nic.interface}", "ifname", nic.interface),
            *("802-3-ethernet.mtu", str(nic.mtu_bytes)),
            *(("802-3-ethernet.mac-address", nic.mac) if nic.mac else ()),
            *("connection.autoconnect-priority", "100", "ipv4.method", "manual"),
            *("ipv4.addresses", f"{nic.address}/{nic.prefix_length}", "ipv4.never-default", "yes"),
            *("ipv4.routes", f"{route},{default}", "ipv4.routing-rules", rule),
            *("ipv6.method", "disabled"),
        )
        status, said = _run(program, "--offline", "connection", "add", "type", "ethernet", *words)
        assert status == 0, said
        wanted = _keys(said)
        wanted["[ipv6]"].remove(("addr-gen-mode", "default"))
        found = _keys((folder / f"rocefab-{nic.interface}.nmconnection").read_text("utf-8"))
        for keys in (wanted["[connection]"], found["[connection]"]):
            keys[:] = [key for key in keys if key[0] != "uuid"]
        assert _routes(found) == _routes(wanted)
        assert found == wanted
        assert _run(program, "--offline", "connection", "modify", "foo", "bar")[0] != 0


def test_systemd(root: Path) -> None:
    """The unit, made for one NIC; what it names is looked for below the folder."""
    program = _program("systemd-analyze", "systemd")
    unit = root / "etc/systemd/system/rocefab-nic@.service"
    text = unit.read_text(encoding="utf-8")
    script = root / "etc/rocefab/apply.sh"
    instance = unit.with_name(r"rocefab-nic@enp1s0\x2dx.7.service")
    instance.write_text(text.replace("/etc/rocefab/apply.sh", str(script)), encoding="utf-8")
    unit.unlink()
    status, said = _run(program, "verify", "--man=no", instance)
    assert status == 0, said
    assert "rocefab" not in said
    tuning = root / "etc/systemd/system/rocefab-tuning.service"
    if tuning.exists():
        text = tuning.read_text(encoding="utf-8")
        tuning.write_text(text.replace("/etc/rocefab/apply.sh", str(script)), encoding="utf-8")
        assert _run(program, "verify", "--man=no", tuning) == (0, "")


def test_systemd_escapes_as_we_do(root: Path) -> None:
    """The instance that the script enables is that of the interface."""
    program = _program("systemd-escape", "systemd")
    script = (root / "etc/rocefab/apply.sh").read_text(encoding="utf-8")
    enabled = re.findall(r"systemctl enable '(.*)' >", script)
    rules = root / "etc/udev/rules.d/90-rocefab.rules"
    if rules.exists():
        text = rules.read_text(encoding="utf-8")
        assert re.findall(r"try-restart (\S+)\"", text) == enabled
    interfaces = re.findall(r'"\$only" = ([^- ]\S*) \]', script)
    assert len(enabled) == len(interfaces) > 0
    for name, interface in zip(enabled, interfaces, strict=True):
        status, said = _run(program, "--template=rocefab-nic@.service", interface)
        assert (status, said.strip()) == (0, name)


def test_kernel_settings(root: Path) -> None:
    """Keys that the kernel has, in the form of sysctl.d."""
    text = (root / "etc/sysctl.d/zz-rocefab.conf").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not SYSCTL.fullmatch(line)] == []
    assert len({line.partition(" ")[0] for line in lines}) == len(lines)


def test_the_judges_refuse(tmp_path: Path) -> None:
    """A script and a plan with a mistake each."""
    script = tmp_path / "apply.sh"
    script.write_text("#!/bin/sh\necho $1 > $2\n", encoding="utf-8")
    assert _run(_program("shellcheck", "shellcheck"), script)[0] != 0
    plan = tmp_path / "etc/netplan/60-rocefab.yaml"
    plan.parent.mkdir(parents=True)
    plan.write_text("network: {version: 2, ethernets: {eth1: {mtus: 9000}}}\n", encoding="utf-8")
    plan.chmod(0o600)
    assert _run(_program("netplan", "netplan.io"), "generate", "--root-dir", tmp_path)[0] != 0
