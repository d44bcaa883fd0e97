"""shellcheck, netplan and systemd judge the files of hosts."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.judges.conftest import missing_judge
from tests.render.test_hosts import CASES, design, files, odd
from tests.topology.fabrics import example

HOSTS = [*CASES, ("odd", "a1")]
SYSCTL = re.compile(
    r"net\.ipv4\.conf\.[A-Za-z][A-Za-z0-9_/-]*\.(arp_ignore|arp_announce|arp_notify|rp_filter)"
    r" = [0-8]|net\.ipv4\.neigh\.default\.gc_thresh[123] = [1-9]\d*"
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
    inventory, name = request.param
    host = odd() if inventory == "odd" else design(example(inventory), name)
    for path, text in files(host).items():
        if path.startswith("rootfs/"):
            target = tmp_path / path.removeprefix("rootfs/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            target.chmod(0o755 if path.endswith(".sh") else 0o600)
    return tmp_path


def test_shellcheck(root: Path) -> None:
    """The script, as POSIX shell, down to matters of style."""
    program = _program("shellcheck", "shellcheck")
    status, said = _run(program, "--shell=sh", "--severity=style", root / "etc/rocefab/apply.sh")
    assert (status, said) == (0, "")


def test_netplan(root: Path) -> None:
    """netplan turns the file into units of networkd, with every address, rule and table."""
    program = _program("netplan", "netplan.io")
    status, said = _run(program, "generate", "--root-dir", root)
    assert (status, said) == (0, "")
    units = list((root / "run/systemd/network").glob("10-netplan-*.network"))
    plan = (root / "etc/netplan/60-rocefab.yaml").read_text(encoding="utf-8")
    addresses = re.findall(r"addresses: \[(\S+)\]", plan)
    assert len(units) == len(addresses) > 0
    made = "\n".join(path.read_text(encoding="utf-8") for path in units)
    for address in addresses:
        assert f"Address={address}\n" in made
        assert f"PreferredSource={address.partition('/')[0]}\n" in made
        assert f"From={address.partition('/')[0]}/32\n" in made
    assert made.count("LinkLocalAddressing=no\n") == len(units)
    assert made.count("MTUBytes=9000\n") == len(units)


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


def test_systemd_escapes_as_we_do(root: Path) -> None:
    """The instance that the script enables is that of the interface."""
    program = _program("systemd-escape", "systemd")
    script = (root / "etc/rocefab/apply.sh").read_text(encoding="utf-8")
    enabled = re.findall(r"systemctl enable '(.*)' >", script)
    interfaces = re.findall(r'"\$only" = (\S+) \]', script)
    assert len(enabled) == len(interfaces) > 0
    for name, interface in zip(enabled, interfaces, strict=True):
        status, said = _run(program, "--template=rocefab-nic@.service", interface)
        assert (status, said.strip()) == (0, name)


def test_kernel_settings(root: Path) -> None:
    """Keys that the kernel has, in the form of sysctl.d."""
    text = (root / "etc/sysctl.d/90-rocefab.conf").read_text(encoding="utf-8")
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
