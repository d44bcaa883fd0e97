"""A platform of another distribution: found by its entry point, and nothing of ours is edited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
#: What the spines of the example use.
USED = (
    *("pfc", "ecn", "watchdog", "watchdog_times", "dscp_map", "scheduling", "mtu"),
    *("bgp", "descriptions", "ntp", "syslog"),
)
#: A distribution as pip leaves it: metadata with the entry point, and the package.
FILES = {
    "acme_nos-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-nos\nVersion: 1.0\n",
    "acme_nos-1.0.dist-info/entry_points.txt": "[rocefab.platforms]\nacme = acme_nos\n",
    "acme_nos/__init__.py": "",
    "acme_nos/platforms.py": """\
from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import Platform

ACME = platforms.add("acme")(
    Platform(
        name="acme", title="Acme OS", artefact="acme.conf", port_mtu_bytes=(68, 9216),
        fixed_mac_ageing_s=None, default_mac_ageing_s=300,
        neighbour_refresh=NeighbourRefresh("hand", "none"),
        watchdog_ms={"detection": (10, 60000), "restoration": (10, 60000), "poll": (5, 30000)},
        source="Acme manual", grade="experimental", rule_prefix="ACM",
    )
)
""",
    "acme_nos/render.py": """\
from fabric.core.artefact import Artefact
from fabric.render.engine import render
from fabric.render.registry import renderers


@renderers.add("acme")
def render_acme(design):
    text = render("acme/hostname.j2", design.name, {"device": design})
    path = f"switches/{design.name}/acme.conf"
    return [Artefact(design.name, design.platform, "acme", path, text.encode())]
""",
    "acme_nos/rules.py": """\
from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules


@rules.add("ACM001")
class Polite(ModelRule):
    \"\"\"Acme switches are greeted.\"\"\"

    severity = Severity.INFO
    why = "It is polite."
    source = "Acme manual"
    guards = ()

    def check(self, model):
        for device in model.devices.values():
            if device.platform == "acme":
                yield self.finding("good morning", "", device=device.name)
""",
    "acme_nos/features.toml": """\
system = "acme"
"""
    + "".join(f"[features.{name}]\nsource = 'Acme manual'\n" for name in USED),
    "acme_nos/templates/acme/hostname.j2": "name {{ device.name }}\n",
    "acme_nos/templates/acme/hostname.toml": """\
[[lines]]
pattern = '^name'
source = "Acme manual"
""",
    "acme_nos/skus/ACME-64.toml": """\
nos = "acme"
asic = "tomahawk-5"
source = "Acme manual"

[ports]
count = 64
lanes = 8
name = "port{number}"
alias = "{number}"
speeds_gbps = [100, 400, 800]
""",
}
#: A second model of a name that is ours.
TWICE = {"acme_nos/skus/ACS-SN5600.toml": FILES["acme_nos/skus/ACME-64.toml"]}


def _install(folder: Path, files: dict[str, str]) -> dict[str, str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


def _rocefab(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rocefab_launcher", *words]
    return subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def inventory(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("inventory")
    data = yaml.safe_load((ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text())
    data["platforms"]["spine"] = {"sku": "ACME-64"}
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return folder


def test_everything_of_a_plug_in_is_found(tmp_path: Path, inventory: Path) -> None:
    """Its switch model, its rules, its renderer and its templates."""
    environment = _install(tmp_path / "site", FILES)
    checked = _rocefab(environment, "check", str(inventory), "--format", "json")
    assert checked.returncode == 0, checked.stderr + checked.stdout
    found = [f for f in json.loads(checked.stdout)["findings"] if f["rule"] == "ACM001"]
    assert [f["device"] for f in found] == [f"spine{number:02}" for number in range(1, 9)]
    rendered = _rocefab(environment, "render", str(inventory), "--out", str(tmp_path / "out"))
    assert rendered.returncode == 0, rendered.stderr
    assert (tmp_path / "out/switches/spine01/acme.conf").read_text() == "name spine01"


def test_what_it_does_not_declare_is_refused(tmp_path: Path, inventory: Path) -> None:
    """It renders a host name alone: `check` and `render` name each feature that is missing."""
    environment = _install(
        tmp_path / "site", FILES | {"acme_nos/features.toml": 'system = "acme"\n'}
    )
    checked = _rocefab(environment, "check", str(inventory), "--format", "json")
    assert checked.returncode == 4, checked.stderr
    said = [f["message"] for f in json.loads(checked.stdout)["findings"] if f["rule"] == "SYS001"]
    assert len(said) == len(USED)
    assert any("Acme OS does not support priority flow control" in message for message in said)
    rendered = _rocefab(environment, "render", str(inventory), "--out", str(tmp_path / "out"))
    assert rendered.returncode != 0
    assert "SYS001" in rendered.stderr


def test_without_it_the_model_is_unknown(inventory: Path) -> None:
    answer = _rocefab(dict(os.environ), "check", str(inventory))
    assert answer.returncode == 2
    assert "ACME-64" in answer.stdout + answer.stderr


def test_a_package_that_is_not_there_is_named(tmp_path: Path, inventory: Path) -> None:
    only = {name: text for name, text in FILES.items() if "dist-info" in name}
    answer = _rocefab(_install(tmp_path, only), "check", str(inventory))
    assert answer.returncode == 2
    assert "plug-in package acme_nos cannot be imported" in answer.stderr
    assert "internal error" not in answer.stderr


def test_a_model_that_is_there_twice_is_named(tmp_path: Path, inventory: Path) -> None:
    environment = _install(tmp_path, {**FILES, **TWICE})
    answer = _rocefab(environment, "check", str(inventory))
    assert answer.returncode == 1
    assert "skus/ACS-SN5600.toml appears twice" in answer.stderr
