"""Mistakes that are planted in a fabric, and which engine finds each by which rules."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fabric.design.host_model import NicDesign
from fabric.observe.configuration import Configured, PolicyTerm, readers
from fabric.prove.batfish.snapshot import Subject
from tests.nics import addressed

Plant = Callable[[Subject], Subject]

LEAF, SPINE = "su1-rail0", "spine01"


@dataclass(frozen=True)
class Mistake:
    """A mistake in an example, and the rules by which each engine finds it; none: it cannot."""

    name: str
    plant: Plant
    batfish: frozenset[str]
    own: frozenset[str]
    example: str = "demo"


def _with_text(subject: Subject, switch: str, kind: str, text: str) -> Subject:
    assert text != subject.texts[switch][kind]
    texts = {**subject.texts, switch: {**subject.texts[switch], kind: text}}
    read = readers[subject.devices[switch].platform](texts[switch])
    return replace(subject, texts=texts, files={**subject.files, switch: read})


def tables(switch: str, change: Callable[[dict[str, dict[str, dict[str, str]]]], object]) -> Plant:
    """Return a change of a CONFIG_DB."""

    def plant(subject: Subject) -> Subject:
        document = json.loads(subject.texts[switch]["config_db"])
        change(document)
        return _with_text(subject, switch, "config_db", json.dumps(document, indent=1))

    return plant


def eos(switch: str, pattern: str, replacement: str) -> Plant:
    """Return a change of one place of an EOS text."""

    def plant(subject: Subject) -> Subject:
        text = subject.texts[switch]["startup-config"]
        changed = re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)
        return _with_text(subject, switch, "startup-config", changed)

    return plant


def configured(switch: str, change: Callable[[Configured], object]) -> Plant:
    """Return a change of what a file says, where no file of ours can say it."""

    def plant(subject: Subject) -> Subject:
        read = copy.deepcopy(subject.files[switch])
        change(read)
        return replace(subject, files={**subject.files, switch: read})

    return plant


def nic(host: str, interface: str, change: Callable[[Subject, NicDesign], NicDesign]) -> Plant:
    """Return a change of one NIC of a host."""

    def plant(subject: Subject) -> Subject:
        before = subject.hosts[host]
        nics = tuple(
            change(subject, item) if item.interface == interface else item for item in before.nics
        )
        assert nics != before.nics
        return replace(subject, hosts={**subject.hosts, host: replace(before, nics=nics)})

    return plant


def _rename(rows: dict[str, dict[str, str]], old: str, new: str) -> None:
    key = next(key for key in rows if re.search(old, key))
    rows[re.sub(old, new, key)] = rows.pop(key)


def _drop(rows: dict[str, dict[str, str]], pattern: str) -> None:
    for key in [key for key in rows if re.search(pattern, key)]:
        del rows[key]


def _swapped_nics(subject: Subject) -> Subject:
    """Swap the cables of both NICs of a host."""
    one, two = subject.hosts["gpu001"].nics
    nics = (
        replace(one, leaf=two.leaf, leaf_port=two.leaf_port),
        replace(two, leaf=one.leaf, leaf_port=one.leaf_port),
    )
    host = replace(subject.hosts["gpu001"], nics=nics)
    return replace(subject, hosts={**subject.hosts, "gpu001": host})


def _swapped_uplinks(subject: Subject) -> Subject:
    """Swap the upper ends of two cables of one leaf."""
    up = subject.fabric.uplinks
    rows = np.flatnonzero(up.lower == 0)[:2]
    upper, port = up.upper.copy(), up.upper_port.copy()
    upper[rows], port[rows] = upper[rows[::-1]], port[rows[::-1]]
    links = replace(up, upper=upper, upper_port=port)
    return replace(subject, fabric=replace(subject.fabric, uplinks=links))


def _same_asn(document: dict[str, dict[str, dict[str, str]]]) -> None:
    document["DEVICE_METADATA"]["localhost"]["bgp_asn"] = "65103"


def _two_leaves_one_asn(subject: Subject) -> Subject:
    """Give a leaf the AS number of another one, and let the spines expect it."""
    changed = tables(LEAF, _same_asn)(subject)
    for spine in ("spine01", "spine02"):
        changed = eos(spine, r"remote-as 65101", "remote-as 65103")(changed)
    return changed


def _denies(switch: Configured) -> None:
    assert switch.bgp
    switch.policies["DENY"] = [PolicyTerm(permit=False, line=0)]
    for peer in switch.bgp.peers.values():
        peer.policy_out = "DENY"


def _one_path(switch: Configured) -> None:
    assert switch.bgp
    switch.bgp.max_paths = 1


def _bit_longer(subject: Subject, item: NicDesign) -> NicDesign:
    return addressed(item, gateway=item.gateway.rpartition(".")[0] + ".99")


def _same_address(subject: Subject, item: NicDesign) -> NicDesign:
    other = subject.hosts["gpu002"].nics[0]
    return addressed(item, address=other.address)


_ACL = (
    "ip access-list NO-ROCE\n   10 deny udp any any eq 4791\n   20 permit ip any any\n!\n"
    r"\g<0>\n   ip access-group NO-ROCE in"
)
_HALF = "10.64.0.0/25"


def _ids(*names: int) -> frozenset[str]:
    return frozenset(f"BAT{name:03}" for name in names)


MISTAKES = (
    Mistake(
        "a leaf has no gateway",
        tables(LEAF, lambda doc: _drop(doc["VLAN_INTERFACE"], "/")),
        _ids(2, 4, 5),
        _ids(2, 14),
    ),
    Mistake(
        "a leaf has neither VLAN nor gateway",
        tables(LEAF, lambda doc: (doc.pop("VLAN_INTERFACE"), doc.pop("VLAN"))),
        _ids(2, 4, 5),
        _ids(2, 14),
    ),
    Mistake(
        "a leaf announces nothing",
        eos("rack1-leaf", r"^   redistribute connected .*\n", ""),
        _ids(4, 5),
        _ids(4, 5),
        "a100-pcie",
    ),
    Mistake(
        "a neighbour has another AS number",
        tables(LEAF, lambda doc: doc["BGP_NEIGHBOR"]["10.254.0.0"].update(asn="64999")),
        _ids(3),
        _ids(3),
    ),
    Mistake(
        "an uplink has another address",
        tables(LEAF, lambda doc: _rename(doc["INTERFACE"], r"10\.254\.0\.1/31", "10.254.7.1/31")),
        _ids(2, 3),
        _ids(2, 3),
    ),
    Mistake(
        "a NIC port is in no VLAN",
        tables(LEAF, lambda doc: doc["VLAN_MEMBER"].popitem()),
        _ids(2, 5),
        _ids(2, 14),
    ),
    Mistake(
        "a NIC port is shut down",
        tables(LEAF, lambda doc: doc["PORT"]["Ethernet0"].update(admin_status="down")),
        _ids(2, 14),
        _ids(2, 14),
    ),
    Mistake(
        "an uplink has a small MTU",
        eos(SPINE, r"^   mtu 9100$", "   mtu 1500"),
        _ids(9),
        _ids(9),
    ),
    Mistake("two NICs have one address", nic("gpu001", "eth1", _same_address), _ids(8), _ids()),
    Mistake("a host has another gateway", nic("gpu001", "eth1", _bit_longer), _ids(5), _ids(14)),
    Mistake(
        "the mask of a gateway is longer",
        tables(LEAF, lambda doc: _rename(doc["VLAN_INTERFACE"], r"/24", "/30")),
        _ids(2, 4),
        _ids(2, 14),
    ),
    Mistake("two NIC cables are swapped", _swapped_nics, _ids(5), _ids(14)),
    Mistake("two uplink cables are swapped", _swapped_uplinks, _ids(3), _ids(3)),
    Mistake(
        "a neighbour is missing at one end",
        tables(LEAF, lambda doc: doc["BGP_NEIGHBOR"].pop("10.254.0.0")),
        _ids(3),
        _ids(3),
    ),
    Mistake("two leaves have one AS number", _two_leaves_one_asn, _ids(4, 5), _ids(4, 5)),
    Mistake("a SONiC leaf uses one path", configured(LEAF, _one_path), _ids(), _ids(13)),
    Mistake(
        "an EOS leaf uses one path",
        eos("rack1-leaf", r"maximum-paths 64 ecmp 64", "maximum-paths 1 ecmp 1"),
        _ids(4),
        _ids(13),
        "a100-pcie",
    ),
    Mistake(
        "a spine discards half of a network",
        eos(SPINE, r"^ip routing$", rf"ip routing\nip route {_HALF} Null0"),
        _ids(4, 5),
        _ids(4, 5),
    ),
    Mistake(
        "a policy does not exist",
        eos(SPINE, r"connected route-map \S+", "connected route-map RM-FABRICK"),
        _ids(4, 11),
        _ids(11),
    ),
    Mistake(
        "two spines have one router id",
        eos(SPINE, r"router-id 10\.255\.0\.1$", "router-id 10.255.0.2"),
        _ids(10),
        _ids(10),
    ),
    Mistake(
        "a leaf tells nobody of its network", configured(LEAF, _denies), _ids(4, 5), _ids(4, 5)
    ),
    Mistake(
        "the neighbours of a spine are not activated",
        eos(SPINE, r"^      neighbor LEAVES activate\n", ""),
        _ids(3),
        _ids(3),
    ),
    Mistake(
        "a spine drops RoCE at one port",
        eos(SPINE, r"^interface Ethernet1/1\n(   .*\n)*   no switchport", _ACL),
        _ids(5),
        _ids(1),
    ),
)
