"""A system of another distribution, from its first check to a verified switch.

The distribution is below ``tests/plugin``: not Dell's real OS10, a test of the plug-in layout. Each
command runs in a process of its own, as for a user.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "tests" / "plugin"
INVENTORY = """\
name: tiny
design: rail-optimised
rails: 1
units: [{name: su1, hosts: gpu1}]
spines: {count: 1}
platforms: {leaf: {sku: S5232F-TEST}, spine: {sku: S5232F-TEST}}
speeds: {host_gbps: 100, uplink_gbps: 100}
addressing: {loopbacks: 10.255.0.0/24, uplinks: 10.254.0.0/24, hosts: 10.64.0.0/16}
lossless:
  ecn: {kmin_bytes: 150000, kmax_bytes: 1500000, pmax_percent: 100}
  watchdog: {enabled: false}
arp: {timeout_s: 240}
host: {gpus: 1, interfaces: eth1, rdma_devices: mlx5_1}
"""
RULE = '''\
from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, areas, rules

areas.add("XOS")("Manners")


@rules.add("XOS001")
class Polite(ModelRule):
    """A switch is greeted."""

    severity = Severity.INFO
    why = "It is polite."
    source = "invented"
    guards = ()

    def check(self, model):
        yield self.finding("good morning", "")
'''
#: Prints the catalogue of all rules.
CATALOGUE = (
    "from fabric.validate.rule import rules; from fabric.validate.catalogue import markdown; "
    "print(markdown([rules[name](name) for name in rules]))"
)


def _run(plugin: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with a distribution installed."""
    return subprocess.run(
        [sys.executable, *words],
        env=_environment(plugin),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def _environment(plugin: Path) -> dict[str, str]:
    path = os.pathsep.join([str(plugin), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "ROCEFAB_PASSWORD": "lab-password"}


def _rocefab(plugin: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return _run(plugin, "-m", "fabric", *map(str, words))


def _copy(folder: Path, *, without: str = "") -> Path:
    """Return a copy of the distribution, without a file of its package."""
    copy = shutil.copytree(PLUGIN, folder, ignore=shutil.ignore_patterns("__pycache__"))
    if without:
        (copy / "rocefab_os10" / without).unlink()
    return copy


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    folder = tmp_path / "inventory"
    folder.mkdir()
    (folder / "fabric.yaml").write_text(INVENTORY)
    return folder


def _errors(answer: subprocess.CompletedProcess[str]) -> list[dict[str, str]]:
    findings = json.loads(answer.stdout)["findings"]
    return [finding for finding in findings if finding["severity"] == "error"]


def test_what_is_declared_passes(inventory: Path) -> None:
    answer = _rocefab(PLUGIN, "check", inventory, "--format", "json")
    assert answer.returncode == 0, answer.stderr + answer.stdout
    assert _errors(answer) == []


def test_nothing_declared_is_refused(inventory: Path, tmp_path: Path) -> None:
    plugin = _copy(tmp_path / "site", without="features.toml")
    answer = _rocefab(plugin, "check", inventory, "--format", "json")
    assert answer.returncode == 4
    errors = _errors(answer)
    assert {error["rule"] for error in errors} == {"SYS001"}
    messages = " ".join(error["message"] for error in errors)
    assert "Dell OS10 (test) does not support priority flow control" in messages
    assert "Dell OS10 (test) does not support BGP with addresses" in messages


def test_a_limit_is_kept(inventory: Path) -> None:
    """One of its own ``features.toml``, with an id of its prefix."""
    file = inventory / "fabric.yaml"
    file.write_text(INVENTORY.replace("kmin_bytes: 150000", "kmin_bytes: 900"))
    answer = _rocefab(PLUGIN, "check", inventory, "--format", "json")
    assert answer.returncode == 4
    assert "OST001" in {error["rule"] for error in _errors(answer)}


def test_it_is_rendered_and_explained(inventory: Path, tmp_path: Path) -> None:
    answer = _rocefab(PLUGIN, "render", inventory, "--out", tmp_path / "out", "--fresh")
    assert answer.returncode == 0, answer.stderr
    text = (tmp_path / "out/switches/su1-rail0/running-configuration.os10").read_text()
    for lines in (
        "hostname su1-rail0\n!\nwred ROCE\n random-detect color green minimum-threshold 150 ",
        "\ninterface ethernet1/1/1\n description gpu1 eth1\n mtu 9100\n switchport",
        " priority-flow-control mode on\n",
        "\nrouter bgp 65101\n",
    ):
        assert lines in text
    line = "priority-flow-control mode on"
    explained = _rocefab(PLUGIN, "explain", inventory, "su1-rail0", line)
    assert explained.returncode == 0, explained.stderr
    assert "lossless.pfc" in explained.stdout


def test_its_configuration_is_proved(inventory: Path, tmp_path: Path) -> None:
    """By what its reader says; without one, its switches are named."""
    answer = _rocefab(PLUGIN, "prove", inventory)
    assert answer.returncode == 0, answer.stderr + answer.stdout
    assert "0 errors, 0 warnings" in answer.stdout + answer.stderr
    assert "2 ends of BGP sessions come up" in answer.stdout + answer.stderr
    plugin = _copy(tmp_path / "site", without="reading.py")
    answer = _rocefab(plugin, "prove", inventory)
    assert "no reader knows os10; its file is not proved" in answer.stdout + answer.stderr


def test_a_rule_of_a_new_area(inventory: Path, tmp_path: Path) -> None:
    """It is run, shown, and has its place in the catalogue, as the limits have."""
    plugin = _copy(tmp_path / "site")
    (plugin / "rocefab_os10" / "rules.py").write_text(RULE)
    checked = _rocefab(plugin, "check", inventory)
    assert "good morning [XOS001]" in checked.stdout + checked.stderr
    assert "XOS001" in _rocefab(plugin, "show", "rules").stdout
    catalogue = _run(plugin, "-c", CATALOGUE)
    assert catalogue.returncode == 0, catalogue.stderr
    assert "## XOS: Manners\n" in catalogue.stdout
    assert "## OST: Limits of Dell OS10 (test)\n" in catalogue.stdout


@pytest.mark.parametrize(
    ("module", "part", "command"),
    [
        ("drivers.py", "driver", "plan"),
        ("parsers.py", "parser", "observe"),
        ("lab/__init__.py", "stand-in", "lab up"),
    ],
)
def test_a_part_that_is_missing_is_named(
    inventory: Path, tmp_path: Path, module: str, part: str, command: str
) -> None:
    """A system that is only rendered so far says so, in place of an internal error."""
    plugin = _copy(tmp_path / "site", without=module)
    answer = _rocefab(plugin, *command.split(), inventory)
    assert answer.returncode == 2, answer.stderr
    assert f"system 'os10' has no {part} (module `" in answer.stderr
    assert "systems with one: comware7, cumulus, eos," in answer.stderr


WRONG = {
    "an unknown feature": (
        "features.toml",
        ("bgp =", "bpg ="),
        "os10: features.toml declares unknown features: bpg; use pfc, ecn,",
    ),
    "an unknown ASIC": (
        "skus/S5232F-TEST.toml",
        ("trident-3", "trident-x"),
        "skus/S5232F-TEST.toml:2:1: asic: unknown ASIC 'trident-x'; known: ",
    ),
    "a wrong import": (
        "platforms.py",
        ("import Platform\n", "import Platforms\n"),
        "the plug-in module rocefab_os10.platforms cannot be imported: cannot import name",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_it_is_named(inventory: Path, tmp_path: Path, case: str) -> None:
    name, words, message = WRONG[case]
    file = _copy(tmp_path / "site") / "rocefab_os10" / name
    assert words[0] in file.read_text()
    file.write_text(file.read_text().replace(*words))
    answer = _rocefab(tmp_path / "site", "check", inventory)
    assert answer.returncode == 2, answer.stdout + answer.stderr
    assert message in answer.stderr


@pytest.fixture
def lab(inventory: Path, tmp_path: Path):
    """Run the lab of the inventory; yield the connections file."""
    folder = tmp_path / "lab"
    words = ["-m", "fabric", "lab", "up", str(inventory), "--out", str(folder)]
    with (tmp_path / "lab.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, *words], env=_environment(PLUGIN), cwd=ROOT, stdout=log, stderr=log
        )
    try:
        ready = folder / "connections.json"
        until(lambda: ready.exists() or process.poll() is not None, "the lab is up")
        assert process.poll() is None, (tmp_path / "lab.log").read_text()
        yield folder / "connections.json"
    finally:
        process.terminate()
        process.wait()


def _plan(inventory: Path, lab: Path, *words: str | Path) -> dict[str, Any]:
    """Return what is planned."""
    reach = ("--connections", lab, "--format", "json")
    answer = _rocefab(PLUGIN, "plan", inventory, *reach, *words)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def _applied(inventory: Path, tmp_path: Path, lab: Path) -> dict[str, Any]:
    """Plan and apply; return the plan."""
    file = tmp_path / "plan.json"
    plan = _plan(inventory, lab, "--out", file)
    _changed(tmp_path, lab, "apply", file)
    return plan


def _changed(tmp_path: Path, lab: Path, *words: str | Path) -> None:
    state = ("--commit", "--connections", lab, "--state", tmp_path / "state")
    answer = _rocefab(PLUGIN, *words, *state)
    assert answer.returncode == 0, answer.stderr


def test_from_the_box_to_a_verified_fabric(inventory: Path, tmp_path: Path, lab: Path) -> None:
    plan = _applied(inventory, tmp_path, lab)
    assert set(plan["devices"]) == {"gpu1", "spine01", "su1-rail0"}
    verified = _rocefab(PLUGIN, "verify", inventory, "--connections", lab)
    assert verified.returncode == 0, verified.stderr + verified.stdout
    assert "3 of 3 devices are as planned" in verified.stderr
    assert _plan(inventory, lab)["devices"] == {}


def test_a_change_is_rolled_back(inventory: Path, tmp_path: Path, lab: Path) -> None:
    _applied(inventory, tmp_path, lab)
    file = inventory / "fabric.yaml"
    file.write_text(INVENTORY.replace("kmax_bytes: 1500000", "kmax_bytes: 1400000"))
    plan = _applied(inventory, tmp_path, lab)
    assert set(plan["devices"]) == {"spine01", "su1-rail0"}
    assert "maximum-threshold 1400" in json.dumps(plan)
    assert _plan(inventory, lab)["devices"] == {}
    _changed(tmp_path, lab, "rollback", "2")
    file.write_text(INVENTORY)
    assert _plan(inventory, lab)["devices"] == {}
