"""Tenants on each system: what is rendered is proved, and what is planted in its text is found."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from fabric.observe.configuration import WHOLE
from fabric.workflow.project import Project
from tests.prove.fabrics import Texts, prove, with_files
from tests.render.designs import INVENTORY
from tests.systems.tenant_fabrics import FORMS, STATES, SYSTEMS, project

#: System, switch, pattern, replacement, rules.
PLANTED = {
    "nxos: the target of another tenant": (
        *("nxos", "su1-rail0", "import 65000:50017 evpn", "import 65000:50018 evpn"),
        ("BAT028", "BAT022", "BAT024"),
    ),
    "nxos: another VNI": (
        *("nxos", "su1-rail0", "vni 50017 l3", "vni 50018 l3"),
        ("BAT027", "BAT022"),
    ),
    "nxos: a port in no VRF": (
        *("nxos", "su1-rail0", r"  vrf member Vrf17\n", ""),
        ("BAT021", "BAT023"),
    ),
    "nxos: a port in the VRF of another tenant": (
        *("nxos", "su1-rail0", "vrf member Vrf17", "vrf member Vrf18"),
        ("BAT021", "BAT022"),
    ),
    "nxos: a relay changes the next hop": (
        *("nxos", "spine01", r"  set ip next-hop unchanged\n", ""),
        ("BAT026", "BAT024"),
    ),
    "nxos: a relay drops targets": (
        *("nxos", "spine01", r"    retain route-target all\n", ""),
        ("BAT026",),
    ),
    "nxos: nothing is announced": (
        *("nxos", "su1-rail0", r"      redistribute direct route-map RM-Vrf17\n", ""),
        ("BAT029", "BAT024"),
    ),
    "esonic: the target of another tenant": (
        *("esonic", "su1-rail0", "import 65000:50017", "import 65000:50018"),
        ("BAT028", "BAT022", "BAT024"),
    ),
    "esonic: a port in no VRF": (
        *(
            "esonic",
            "su1-rail0",
            r"(interface Eth\S+\n(?: .*\n)*?) ip vrf forwarding Vrf17\n",
            r"\1",
        ),
        ("BAT021", "BAT023"),
    ),
    "esonic: a port in the VRF of another tenant": (
        "esonic",
        "su1-rail0",
        r"(interface Eth\S+\n(?: .*\n)*?) ip vrf forwarding Vrf17",
        r"\1 ip vrf forwarding Vrf18",
        ("BAT021", "BAT022"),
    ),
    "esonic: no VNI": (
        *("esonic", "su1-rail0", r" map vni 50017 vrf Vrf17\n", ""),
        ("BAT027", "BAT024"),
    ),
    "esonic: EVPN is not activated": (
        *("esonic", "su1-rail0", r"  advertise-all-vni\n", ""),
        ("BAT024",),
    ),
    "esonic: a policy stops EVPN": (
        *("esonic", "su1-rail0", "route-map RM-EVPN permit", "route-map RM-EVPN deny"),
        ("BAT026", "BAT024"),
    ),
}


#: Community SONiC has VRFs of a leaf alone.
FORMED = [
    (system, form) for system in SYSTEMS for form in FORMS if (system, form) != ("sonic", "evpn")
]


@cache
def _fabric(folder: Path, system: str) -> tuple[Project, Texts]:
    return with_files(project(folder / system, system, "evpn"))


@pytest.mark.parametrize(("system", "form"), FORMED, ids="-".join)
def test_what_is_rendered_is_proved(tmp_path: Path, system: str, form: str) -> None:
    for state in STATES:
        proof = prove(*with_files(project(tmp_path / state, system, form, state)))
        assert proof.breaches == (), state
        assert proof.tenants
        assert proof.tenants.lost_nic_pairs == proof.tenants.leaking_pairs == 0


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    system, switch, pattern, replacement, rules = PLANTED[name]
    whole, texts = _fabric(tmp_path_factory.getbasetemp(), system)
    kind, text = next(iter(texts[switch].items()))
    wrong, count = re.subn(pattern, replacement, text, count=1)
    assert count
    found = prove(whole, {**texts, switch: {kind: wrong}}).breaches
    assert {breach.rule for breach in found} >= set(rules), found


_SERVICE = [
    {"name": "red", "id": 17, "hosts": "gpu001", "services": ["storage"]},
    {"name": "blue", "id": 18, "hosts": "gpu002", "services": ["storage"]},
    {"name": "storage", "id": 40, "shared": True, "nics": {"gpu003": [0]}},
]


def test_a_service_on_one_leaf_joins_no_tenants(tmp_path: Path) -> None:
    whole, texts = with_files(project(tmp_path / "one", "esonic", "evpn", tenants=_SERVICE))
    proof = prove(whole, texts)
    assert proof.breaches == ()
    assert proof.tenants == (3, 2, 0, 12, 0, 0)
    kind, text = next(iter(texts["su2-rail0"].items()))
    wrong = text.replace("  import vrf Vrf40\n", "", 1)
    found = prove(whole, {**texts, "su2-rail0": {kind: wrong}}).breaches
    assert "BAT025" in {breach.rule for breach in found}
    wrong = text.replace("  import vrf Vrf40\n", "  import vrf Vrf40\n  import vrf Vrf18\n", 1)
    found = prove(whole, {**texts, "su2-rail0": {kind: wrong}}).breaches
    assert "BAT022" in {breach.rule for breach in found}


def test_a_service_on_two_leaves_passes_routes_of_tenants_on(tmp_path: Path) -> None:
    """What a VRF has from another one it exports, and leaves of a service take that."""
    service = {"name": "storage", "id": 40, "shared": True, "hosts": "gpu003"}
    tenants = [*_SERVICE[:2], service]
    whole, texts = with_files(project(tmp_path / "two", "esonic", "evpn", tenants=tenants))
    found = {breach.rule for breach in prove(whole, texts).breaches}
    assert found == {"BAT022"}


#: Systems of one speed: models of leaf and spine.
_MODELS = {"junos": ("QFX5130-32CD", "QFX5220-32CD"), "cumulus": ("SN4700", "SN4700")}
#: Pattern and replacement on su1-rail0, and the rules.
_LINES = {
    "junos": {
        "target": (r"target:65000:50017", "target:65000:50018", ("BAT028", "BAT022")),
        "VNI": (r"vni 50017", "vni 50999", ("BAT027", "BAT024")),
    },
    "cumulus": {
        "target": (
            *(r"(from-evpn route-target) 65000:50017", r"\1 65000:50018"),
            ("BAT028", "BAT022"),
        ),
        "port": (r"nv set interface swp\S+ ip vrf Vrf17\n", "", ("BAT021", "BAT023")),
        "EVPN": (r".*neighbor \S+ address-family l2vpn-evpn enable on\n", "", ("BAT026",)),
    },
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("system", _MODELS)
def test_systems_of_one_model(tmp_path: Path, system: str, form: str) -> None:
    data = yaml.safe_load((INVENTORY / "tenants" / "fabric.yaml").read_text(encoding="utf-8"))
    leaf, spine = _MODELS[system]
    data["platforms"] = {"leaf": {"sku": leaf, "host_ports": 16}, "spine": {"sku": spine}}
    data["speeds"] = {"host_gbps": 400, "uplink_gbps": 400}
    data["tenancy"]["form"] = form
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    whole, texts = with_files(Project(tmp_path))
    assert prove(whole, texts).breaches == ()
    own = texts["su1-rail0"]
    kind = next(kind for kind in WHOLE if kind in own)
    for name, (pattern, replacement, rules) in _LINES[system].items() if form == "evpn" else ():
        wrong, count = re.subn(pattern, replacement, own[kind], count=1)
        assert count, name
        found = prove(whole, {**texts, "su1-rail0": {**own, kind: wrong}}).breaches
        assert {breach.rule for breach in found} >= set(rules), (name, found)
