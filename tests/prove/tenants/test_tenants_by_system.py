"""Tenants on each system: what is rendered is proved, and what is planted in its text is found."""

from __future__ import annotations

import json
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
    "nxos: a static route into another tenant": (
        "nxos",
        "su1-rail0",
        r"(vrf context Vrf17\n)",
        r"\1  ip route 10.64.0.2/31 Ethernet1/2 10.64.0.3 vrf Vrf18\n",
        ("BAT022",),
    ),
    "nxos: a static route into management": (
        "nxos",
        "su1-rail0",
        r"(vrf context Vrf17\n)",
        r"\1  ip route 192.0.2.0/24 192.0.2.1 vrf management\n",
        ("BAT023",),
    ),
    "nxos: a static route of the default VRF into a tenant": (
        *("nxos", "su1-rail0", r"(vrf context Vrf17\n)"),
        r"ip route 10.64.0.0/16 10.64.0.1 vrf Vrf17\n\1",
        ("BAT001",),
    ),
    "nxos: the management port in the VRF of a tenant": (
        *("nxos", "su1-rail0", r"\Z", "interface mgmt0\n  vrf member Vrf17\n"),
        ("BAT023",),
    ),
    "nxos: targets are not sent": (
        *("nxos", "su1-rail0", r"      send-community extended\n", ""),
        ("BAT026",),
    ),
    "nxos: a static route drops packets": (
        *("nxos", "su1-rail0", r"(vrf context Vrf17\n)", r"\1  ip route 10.64.128.0/31 Null0\n"),
        ("BAT024",),
    ),
    "esonic: a static route into another tenant": (
        "esonic",
        "su1-rail0",
        r"(ip vrf Vrf18\n)",
        r"\1ip route vrf Vrf17 10.64.0.2/31 10.64.0.3 nexthop-vrf Vrf18\n",
        ("BAT022",),
    ),
    "esonic: a static route into the default VRF": (
        "esonic",
        "su1-rail0",
        r"(ip vrf Vrf18\n)",
        r"\1ip route vrf Vrf17 10.255.0.0/24 10.254.0.0 nexthop-vrf default\n",
        ("BAT023",),
    ),
    "esonic: a static route of the default VRF into a tenant": (
        *("esonic", "su1-rail0", r"(ip vrf Vrf18\n)"),
        r"\1ip route 10.64.0.0/16 10.64.0.1 nexthop-vrf Vrf17\n",
        ("BAT001",),
    ),
    "esonic: a static route drops packets": (
        "esonic",
        "su1-rail0",
        r"(ip vrf Vrf18\n)",
        r"\1ip route vrf Vrf17 10.64.128.0/31 blackhole\n",
        ("BAT024",),
    ),
    "esonic: the management port in the VRF of a tenant": (
        "esonic",
        "su1-rail0",
        r"(ip vrf Vrf18\n)",
        r"\1interface Management 0\n ip vrf forwarding Vrf17\n",
        ("BAT023",),
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


#: Rows that are planted in the tables of a leaf of community SONiC, and the rules.
_ROWS: dict[str, tuple[str, str, dict[str, str], tuple[str, ...]]] = {
    "a static route into another tenant": (
        *("STATIC_ROUTE", "Vrf17|10.64.0.2/31"),
        {"nexthop": "10.64.0.3", "nexthop-vrf": "Vrf18"},
        ("BAT022",),
    ),
    "a static route into the default VRF": (
        *("STATIC_ROUTE", "Vrf17|10.255.0.0/24"),
        {"nexthop": "10.254.0.1", "nexthop-vrf": "default"},
        ("BAT023",),
    ),
    "a static route of the default VRF into a tenant": (
        *("STATIC_ROUTE", "default|10.64.0.0/16"),
        {"nexthop": "10.64.0.1", "nexthop-vrf": "Vrf17"},
        ("BAT023",),
    ),
    "a static route of the default VRF, with a next hop of each": (
        *("STATIC_ROUTE", "10.64.0.0/16"),
        {"nexthop": "10.64.0.1,10.254.0.1", "nexthop-vrf": "Vrf17,default"},
        ("BAT023",),
    ),
    "a static route of the default VRF over the port of a NIC": (
        *("STATIC_ROUTE", "default|10.64.0.0/31"),
        {"nexthop": "0.0.0.0", "ifname": "Ethernet0"},
        ("BAT023",),
    ),
    "a static route into management": (
        *("STATIC_ROUTE", "Vrf17|192.0.2.0/24"),
        {"nexthop": "192.0.2.1", "nexthop-vrf": "mgmt"},
        ("BAT023",),
    ),
    "a static route drops packets": (
        *("STATIC_ROUTE", "Vrf17|10.64.0.1/32"),
        {"blackhole": "true"},
        ("BAT024",),
    ),
    "lookup goes on in the main table": ("VRF", "Vrf17", {"fallback": "true"}, ("BAT023",)),
}


@pytest.mark.parametrize("name", _ROWS)
def test_what_is_planted_in_tables_is_found(name: str, tmp_path: Path) -> None:
    table, key, row, rules = _ROWS[name]
    whole, texts = with_files(project(tmp_path / "fabric", "sonic", "local"))
    (kind, text) = next(iter(texts["su1-rail0"].items()))
    config = json.loads(text)
    config.setdefault(table, {})[key] = row
    wrong = {kind: json.dumps(config, indent=2)}
    proof = prove(whole, {**texts, "su1-rail0": wrong})
    assert {breach.rule for breach in proof.breaches} == set(rules), proof.breaches
    counts = proof.tenants
    assert counts
    is_of_tenant = key.startswith("Vrf17")  # a route into a tenant lets none of its NICs out
    expected = [int(is_of_tenant and rule in rules) for rule in ("BAT022", "BAT023")]
    assert [counts.leaking_pairs, counts.exposed] == expected


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
_STATIC = "set routing-instances Vrf17 routing-options static route"
_TO_EVPN = "nv set vrf Vrf17 router bgp address-family ipv4-unicast route-export to-evpn"
#: Pattern and replacement on su1-rail0, and the rules.
_LINES = {
    "junos": {
        "target": (r"target:65000:50017", "target:65000:50018", ("BAT028", "BAT022")),
        "VNI": (r"vni 50017", "vni 50999", ("BAT027", "BAT024")),
        "type": (
            *(r"(Vrf17 instance-type) vrf", r"\1 virtual-router"),
            ("BAT027", "BAT029", "BAT024"),
        ),
        "route into another tenant": (
            r"\Z",
            f"{_STATIC} 10.64.0.2/31 next-table Vrf18.inet.0\n",
            ("BAT022",),
        ),
        "route into the default instance": (
            r"\Z",
            f"{_STATIC} 0.0.0.0/0 next-table inet.0\n",
            ("BAT023",),
        ),
        "route of the default instance into a tenant": (
            r"\Z",
            "set routing-options static route 10.64.0.0/16 next-table Vrf17.inet.0\n",
            ("BAT001",),
        ),
        "route to nowhere": (
            r"\Z",
            f"{_STATIC} 10.64.128.0/31 discard\n",
            ("BAT024",),
        ),
    },
    "cumulus": {
        "target": (
            *(r"(from-evpn route-target) 65000:50017", r"\1 65000:50018"),
            ("BAT028", "BAT022"),
        ),
        "port": (r"nv set interface swp\S+ ip vrf Vrf17\n", "", ("BAT021", "BAT023")),
        "route over a port of another tenant": (
            r"\Z",
            "nv set vrf Vrf17 router static 10.64.0.2/31 via swp2\n",
            ("BAT022",),
        ),
        "route over an uplink": (
            r"\Z",
            "nv set vrf Vrf17 router static 0.0.0.0/0 via swp17\n",
            ("BAT023",),
        ),
        "route of the default VRF over the port of a NIC": (
            r"\Z",
            "nv set vrf default router static 10.64.0.0/31 via swp1\n",
            ("BAT001",),
        ),
        "route to nowhere": (
            r"\Z",
            "nv set vrf Vrf17 router static 10.64.128.0/31 via blackhole\n",
            ("BAT024",),
        ),
        "policy into EVPN": (
            r"\Z",
            f"{_TO_EVPN} route-map STOP\nnv set router policy route-map STOP rule 10 action deny\n",
            ("BAT029", "BAT024"),
        ),
        "management port": (r"\Z", "nv set interface eth0 ip vrf Vrf17\n", ("BAT023",)),
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
