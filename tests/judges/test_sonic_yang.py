"""Libyang judges config_db.json with SONiC's own models; our mapping to YANG JSON is judged too."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fabric.design.model import DeviceDesign
from fabric.platforms.catalogue import sku, sku_names
from fabric.render import render_device
from fabric.systems.sonic.yang import Schema, YangMappingError, convert, load_schema
from tests.render.designs import design, switches, variant
from tests.systems.tenant_fabrics import project

BRANCHES = ("202405", "master")
EXAMPLES = ("leaf01", "leaf01-unnumbered", "spine01")
REJECTED = 7  # exit status of yanglint 2.1 for invalid data
SWITCHES = [
    *(("demo", name) for name in switches("demo") if name.startswith("su")),
    *(("eight-slash-27", name) for name in switches("eight-slash-27")),
    *(("rail-512", name) for name in switches("rail-512")),
    *(("three-tier", name) for name in ("rack1-leaf", "east-spine01", "core01")),
    *(("rail-only", "su1-rail0"), ("dual-tor", "su1-rail0-b"), ("explicit", "b07-sw2")),
    ("routed", "su2-rail0"),
]
PORT_OVERRIDES = """\
devices:
  - names: su1-rail0
    mac: "52:54:00:00:00:01"
    ports:
      Ethernet0: {enabled: false, description: 'a "quoted" {{ 7*7 }} \\ text'}
      Ethernet8: {lossless: {pfc: false}}
      Ethernet128: {lossless: {ecn: {kmin_bytes: 200000}, watchdog: {enabled: false}}}
      Ethernet136: {cable_m: 5, lossless: {dynamic_th: -2, watchdog: {poll_ms: 100}}}
  - names: su1-rail1
    ports:
      Ethernet0: {cable_m: 7}
      Ethernet8: {fec: none, speed_gbps: 200, lossless: {roce_dscp: 24, pfc_priority: 4}}
"""
VARIANTS = {
    "vlan-per-nic": {"vlan_first: 101": "vlan_per: nic\n  vlan_first: 101"},
    "port-overrides": {},
    "broken-out": {
        "sku: ACS-MSN4700": 'sku: ACS-SN5600, breakouts: [{cages: "1-2,64", mode: 2x400G}]'
    },
    "unnumbered": {"bgp: {": "bgp: {bfd: true, peering: unnumbered, "},
    "ipv6": {
        "  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0": "  vlan_per: none\n"
        "  ipv6: {hosts: 'fd00:64::/48'}",
        "bgp: {": "bgp: {peering: unnumbered, ",
    },
    "ipv6-numbered": {
        "  host_prefix_length: 24\n  vlan_first: 101 # VLAN of rail 0": "  vlan_per: none\n"
        "  advertise: leaf\n  ipv6: {hosts: 'fd00:64::/48', uplinks: 'fd00:65::/64'}",
    },
    "bfd": {"bgp: {": "bgp: {bfd: true, "},
    "own AS number": {"bgp: {": "bgp: {allowas_in: 2, "},
    "computed-buffers": {"sku: ACS-MSN4700": "sku: ACS-MSN4700, buffer_model: dynamic"},
    "no-pfc": {"pfc_priority: 3": "pfc: false"},
    "no-watchdog": {"watchdog: {action: drop": "watchdog: {enabled: false, action: drop"},
    "two-classes": {
        "  roce_dscp: 26\n": "  classes:\n"
        "    - {name: rdma, dscps: [3, 26], pfc_priority: 3, scheduler_percent: 30}\n"
        "    - {name: storage, dscps: [34], pfc_priority: 4, ecn: {kmin_bytes: 200000}}\n",
        "  pfc_priority: 3\n": "",
    },
    "two-classes-computed": {
        "sku: ACS-MSN4700": "sku: ACS-MSN4700, buffer_model: dynamic",
        "  roce_dscp: 26\n": "  classes:\n"
        "    - {name: rdma, dscps: [3, 26], pfc_priority: 3, scheduler_percent: 30}\n"
        "    - {name: storage, dscps: [34], pfc_priority: 4, ecn: {kmin_bytes: 200000}}\n",
        "  pfc_priority: 3\n": "",
    },
    "other-numbers": {
        "roce_dscp: 26": "roce_dscp: 34",
        "pfc_priority: 3": "pfc_priority: 4\n  queue: 5\n  traffic_class: 2\n  priority_group: 7",
    },
}
#: Switch models whose configuration rocefab can write.
MODELS = [
    name
    for name in sku_names()
    if (pools := sku(name).pools)
    and sku(name).nos == "sonic"
    and (sku(name).layout or pools.ingress_lossy_bytes)
]


class Judge:
    """yanglint with the models of one branch."""

    def __init__(self, program: str, folder: Path, branch: str) -> None:
        models = folder / branch
        first = models / "sonic-device_metadata.yang"
        files = [first, *sorted(models.glob("sonic-*.yang"))]
        options = ["-Q", "-i", "-p", str(models), "-t", "config"]
        self._command = [program, *options, *map(str, files)]
        self.branch = branch
        self.schema: Schema = load_schema(models)

    def verdict(self, scratch: Path, *data: dict[str, Any]) -> tuple[int, str]:
        """Return exit status and first line of the complaint; each data is judged by itself."""
        files = [scratch / f"data{number}.json" for number in range(len(data))]
        for file, content in zip(files, data, strict=True):
            file.write_text(json.dumps(content), encoding="utf-8")
        done = subprocess.run(
            [*self._command, *map(str, files)], capture_output=True, text=True, check=False
        )
        return done.returncode, (done.stderr.splitlines() or [""])[0]

    def accepts(self, configs: Mapping[str, Any], scratch: Path) -> None:
        """Assert that each config_db.json is valid; most of the time goes into the models."""
        data = {name: convert(config, self.schema) for name, config in configs.items()}
        if self.verdict(scratch, *data.values())[0]:
            verdicts = {name: self.verdict(scratch, content) for name, content in data.items()}
            wrong = {name: text for name, (status, text) in verdicts.items() if status}
            assert wrong == {}
            raise AssertionError("refused together, and none of them alone")


@pytest.fixture(scope="session")
def models(reference: Path) -> Path:
    """Return the folder of the SONiC models."""
    return reference / "schemas" / "sonic-yang"


@pytest.fixture(scope="session", params=BRANCHES)
def judge(request: pytest.FixtureRequest, yanglint: str, models: Path) -> Judge:
    """Return the judge of one branch."""
    return Judge(yanglint, models, request.param)


@cache
def _config(device: DeviceDesign) -> Any:
    return json.loads(render_device(device)[0].content)


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_mapping_is_that_of_the_examples(models: Path, name: str, branch: str) -> None:
    """Our mapping gives the JSON that libyang has accepted before."""
    folder = models / "examples"
    config = json.loads((folder / f"{name}.config_db.json").read_text(encoding="utf-8"))
    text = (folder / f"{name}.yang-{branch}.json").read_text(encoding="utf-8")
    wanted, _ = json.JSONDecoder().raw_decode(text)  # a line of log may follow
    assert convert(config, load_schema(models / branch)) == wanted


def test_known_mistakes_get_the_known_verdict(judge: Judge, models: Path, tmp_path: Path) -> None:
    """Each one-field mistake is accepted or refused as it was when the samples were made."""
    folder = models / "examples"
    document = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    base = json.loads((folder / document["base"]).read_text(encoding="utf-8"))
    for case in document["cases"]:
        config = _mutated(base, case["set"])
        try:
            status, complaint = judge.verdict(tmp_path, convert(config, judge.schema))
        except YangMappingError as error:
            status, complaint = REJECTED, f"conversion error: {error}"
        accepted = case[judge.branch] == "accept"
        assert (status == 0) is accepted, (case["case"], complaint)


def _mutated(base: dict[str, Any], changes: list[list[Any]]) -> dict[str, Any]:
    config = copy.deepcopy(base)
    for table, key, field, value in changes:
        row = config.setdefault(table, {}).setdefault(key, {})
        if field is not None and value is None:
            row.pop(field, None)
        elif field is not None:
            row[field] = value
    return config


def test_examples_are_valid(judge: Judge, tmp_path: Path) -> None:
    """Every SONiC switch of the example inventories is valid for libyang."""
    judge.accepts({f"{name} {one}": _config(design(name, one)) for name, one in SWITCHES}, tmp_path)


def test_variants_are_valid(judge: Judge, tmp_path: Path) -> None:
    """What overrides and other policies give is valid too."""
    configs = {}
    for name, changes in VARIANTS.items():
        devices = PORT_OVERRIDES if name == "port-overrides" else ""
        designs = variant(tmp_path / name, "demo", changes, devices)
        for device in designs.values():
            if device.platform == "sonic":
                configs[f"{name} {device.name}"] = _config(device)
    judge.accepts(configs, tmp_path)


def test_every_model_is_valid(judge: Judge, tmp_path: Path) -> None:
    """As a leaf at its highest speed: ports, lanes, pools and headroom of the model."""
    configs = {}
    for model in MODELS:
        speed = max(sku(model).speeds_gbps)
        changes = {
            "sku: ACS-MSN4700": f"sku: {model}",
            "host_gbps: 400": f"host_gbps: {speed}",
            "uplink_gbps: 400": f"uplink_gbps: {speed}",
        }
        designs = variant(tmp_path / model, "demo", changes)
        for name in {"su1-rail0", "su2-rail1"} & set(designs):
            assert designs[name].sku.name == model
            configs[f"{model} {name}"] = _config(designs[name])
    judge.accepts(configs, tmp_path)


def test_a_wrong_row_is_refused(judge: Judge, tmp_path: Path) -> None:
    """The judge does refuse, among others too: a queue that names a profile that is absent."""
    config = copy.deepcopy(_config(design("demo", "su1-rail0")))
    right = convert(config, judge.schema)
    del config["WRED_PROFILE"]["AZURE_LOSSLESS"]
    wrong = convert(config, judge.schema)
    for data in ([wrong], [right, wrong, right]):
        status, complaint = judge.verdict(tmp_path, *data)
        assert status != 0
        assert "wred_profile" in complaint
    assert judge.verdict(tmp_path, right, right)[0] == 0


def test_vrfs_of_tenants(judge: Judge, tmp_path: Path) -> None:
    """Ports and gateways in VRFs; a VRF that is not there, or that has no such name, is refused."""
    configs = {}
    for plan in ("none", "nic"):
        one = project(tmp_path / plan, "sonic", "local", addressing={"vlan_per": plan})
        configs |= {f"{plan} {name}": _config(device) for name, device in one.devices.items()}
    judge.accepts(configs, tmp_path)
    for key, table in (("none su2-rail0", "INTERFACE"), ("nic su2-rail0", "VLAN_INTERFACE")):
        for changed in ("no row", "no name of a VRF"):
            config = copy.deepcopy(configs[key])
            if changed == "no row":
                del config["VRF"]["Vrf17"]
            else:
                config["VRF"]["tenant17"] = config["VRF"].pop("Vrf17")
                rows = config[table].values()
                for row in [row for row in rows if row.get("vrf_name") == "Vrf17"]:
                    row["vrf_name"] = "tenant17"
            assert judge.verdict(tmp_path, convert(config, judge.schema))[0] == REJECTED
