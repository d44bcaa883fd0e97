"""Override files: what they change, and what they cannot."""

from __future__ import annotations

import pytest

from fabric.core.errors import InputError
from fabric.topology import Fabric
from tests.topology.fabrics import fabric

REFUSED: dict[str, tuple[str, str, list[str]]] = {
    "device": (
        "devices:\n  - names: su1-rial0\n",
        "",
        [
            (
                "inventory/devices/test.yaml:2:5: devices[0].names: there is no switch "
                "'su1-rial0'; did you mean 'su1-rail0'? [TOP005]"
            )
        ],
    ),
    "port": (
        "devices:\n  - names: su1-rail0\n    ports:\n      Ethernet1: {cable_m: 5}\n",
        "",
        [
            (
                "inventory/devices/test.yaml:4:7: devices[0].ports.Ethernet1: there is no port "
                "'Ethernet1'; did you mean 'Ethernet0'? [TOP005]"
            )
        ],
    ),
    "port of a range": (
        "devices:\n  - names: su1-rail[0-1]\n    ports:\n      Ethernet1: {cable_m: 5}\n",
        "",
        [
            (
                "inventory/devices/test.yaml:4:7: devices[0].ports.Ethernet1: there is no port "
                "'Ethernet1' (and on 1 more device); did you mean 'Ethernet0'? [TOP005]"
            )
        ],
    ),
    "model": (
        "devices:\n  - names: su1-rail0\n    sku: ACS-MSN4701\n",
        "",
        [
            (
                "inventory/devices/test.yaml:3:5: devices[0].sku: there is no switch model "
                "'ACS-MSN4701'; did you mean 'ACS-MSN4700' (SONiC) or 'SN4700' "
                "(NVIDIA Cumulus Linux)? [TOP005]"
            )
        ],
    ),
    "host": (
        "",
        "hosts:\n  - names: a[2-4]\n",
        [
            (
                "inventory/hosts/test.yaml:2:5: hosts[0].names: there is no host 'a4'; "
                "known: a[1-3] [TOP005]"
            )
        ],
    ),
    "rail": (
        "",
        "hosts:\n  - names: a1\n    nics:\n      - {rail: 2, cable_m: 3}\n",
        [
            (
                "inventory/hosts/test.yaml:4:10: hosts[0].nics[0].rail: there is no rail '2'; "
                "known: [0-1] [TOP005]"
            )
        ],
    ),
    "leaf": (
        "",
        "hosts:\n  - names: a1\n    nics:\n      - {rail: 1, leaf: spine01}\n",
        [
            (
                "inventory/hosts/test.yaml:4:19: hosts[0].nics[0].leaf: there "
                "is no leaf 'spine01'; "
                "`rocefab show topology` lists them [TOP005]"
            )
        ],
    ),
    "leaf port": (
        "",
        "hosts:\n  - names: a1\n    nics:\n      - {rail: 1, port: Ethernet256}\n",
        [
            (
                "inventory/hosts/test.yaml:4:19: hosts[0].nics[0].port: there is no port "
                "'Ethernet256'; "
                "did you mean 'Ethernet248'? [TOP005]"
            )
        ],
    ),
    "peer": (
        (
            "devices:\n  - names: su1-rail0\n    ports:\n"
            "      Ethernet128: {peer: {device: spine1, port: Ethernet0}}\n"
        ),
        "",
        [
            (
                "inventory/devices/test.yaml:4:28: devices[0].ports.Ethernet128.peer.device: there "
                "is "
                "no spine 'spine1'; did you mean 'spine01'? [TOP005]"
            )
        ],
    ),
    "peer port": (
        (
            "devices:\n  - names: spine01\n    ports:\n"
            "      Ethernet0: {peer: {device: su1-rail0, port: Ethernet3}}\n"
        ),
        "",
        [
            (
                "inventory/devices/test.yaml:4:45: devices[0].ports.Ethernet0.peer.port: there is "
                "no "
                "port 'Ethernet3'; did you mean 'Ethernet0'? [TOP005]"
            )
        ],
    ),
    "peer of a port without uplink": (
        (
            "devices:\n  - names: su1-rail0\n    ports:\n"
            "      Ethernet0: {peer: {device: spine01, port: Ethernet0}}\n"
        ),
        "",
        [
            (
                "inventory/devices/test.yaml:4:19: devices[0].ports.Ethernet0.peer: there is no "
                "designed uplink on 'Ethernet0'; `rocefab show links` lists them [TOP005]"
            )
        ],
    ),
    "peer that is a host": (
        (
            "devices:\n  - names: su1-rail0\n    ports:\n"
            "      Ethernet0: {peer: {device: a2, port: eth1}}\n"
        ),
        "",
        [
            (
                "inventory/devices/test.yaml:4:26: devices[0].ports.Ethernet0.peer.device: 'a2' is "
                "a host, and `peer` moves cables between switches; set nics.port of the host in "
                "hosts/*.yaml: names: a2, nics: [{rail: RAIL, port: Ethernet0}] [TOP005]"
            )
        ],
    ),
    "port in use by a NIC": (
        "",
        "hosts:\n  - names: a1\n    nics:\n      - {rail: 1, port: Ethernet8}\n",
        [
            (
                "su1-rail1 Ethernet8: 2 cables end here: a1 rail 1, a2 rail 1; correct the "
                "override "
                "that moved a cable onto this port [TOP003]"
            )
        ],
    ),
    "port in use by an uplink": (
        (
            "devices:\n  - names: su1-rail0\n    ports:\n"
            "      Ethernet128: {peer: {device: spine02, port: Ethernet0}}\n"
        ),
        "",
        [
            (
                "spine02 Ethernet0: 2 cables end here: su1-rail0, su1-rail0; correct the override "
                "that moved a cable onto this port [TOP003]"
            )
        ],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name: str) -> None:
    """With position and, where there is one, the nearest name."""
    devices, hosts, expected = REFUSED[name]
    with pytest.raises(InputError) as caught:
        fabric(devices, hosts)
    assert [str(finding) for finding in caught.value.findings] == expected


def test_a_model_without_the_ports_is_refused() -> None:
    """Its cables would otherwise vanish from the design."""
    with pytest.raises(InputError) as caught:
        fabric(
            "devices:\n  - names: su1-rail0\n    sku: ACS-MSN4700\n",
            platforms__leaf={"sku": "ACS-SN5600"},
        )
    assert [str(finding) for finding in caught.value.findings] == [
        (
            "su1-rail0: the design places a cable on port 34, but ACS-MSN4700 has 32 ports; use a "
            "model with "
            "more ports, or move the cables of this switch [TOP006]"
        )
    ]


def nic(built: Fabric, host: str, rail: int) -> int:
    """Return the row of a NIC."""
    return built.host_row[host] * built.rails + rail


def test_a_moved_nic_takes_what_is_said_of_its_new_port() -> None:
    """Cables are moved first, whatever the order of the files."""
    built = fabric(
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      Ethernet0: {cable_m: 40}\n      Ethernet80: {cable_m: 7, speed_gbps: 100}\n",
        "hosts:\n  - names: a1\n    nics:\n      - {rail: 0, port: Ethernet80}\n",
    )
    row = nic(built, "a1", 0)
    assert (built.nics.port[row], built.nics.cable_m[row], built.nics.speed_gbps[row]) == (
        11,
        7,
        100,
    )
    assert (built.nics.cable_m != 40).all()


def test_a_moved_uplink_keeps_its_addresses() -> None:
    """Two cables that were swapped at the spines."""
    built = fabric(
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      Ethernet128: {peer: {device: spine02, port: Ethernet0}, cable_m: 3}\n"
        "      Ethernet136: {peer: {device: spine01, port: Ethernet0}}\n"
        "  - names: spine02\n    ports:\n      Ethernet0: {speed_gbps: 200}\n",
    )
    plain = fabric()
    first, second = built.uplinks_of(0).tolist()
    assert [built.switches.names[built.uplinks.upper[row]] for row in (first, second)] == [
        "spine02",
        "spine01",
    ]
    assert built.uplinks.cable_m[first] == 3
    assert built.uplinks.speed_gbps[[first, second]].tolist() == [200, 400]
    assert (built.uplinks.upper_address == plain.uplinks.upper_address).all()


@pytest.mark.parametrize(
    ("devices", "hosts", "expected"),
    [
        ("", "- {rail: 0, enabled: false}\n      - {rail: 0, cable_m: 3}", False),
        ("", "- {rail: 0, enabled: false}\n      - {rail: 0, enabled: true}", True),
        ("{enabled: false}", "- {rail: 0, cable_m: 3}", False),
        ("{enabled: false}", "- {rail: 0, enabled: true}", False),
        ("{enabled: true}", "- {rail: 0, enabled: false}", False),
        ("{cable_m: 3}", "- {rail: 0, cable_m: 3}", True),
    ],
)
def test_a_cable_is_off_when_one_end_is(devices: str, hosts: str, expected: bool) -> None:
    """Of two words on one end, the later that speaks of it counts."""
    built = fabric(
        f"devices:\n  - names: su1-rail0\n    ports:\n      Ethernet0: {devices}\n"
        if devices
        else "",
        f"hosts:\n  - names: a1\n    nics:\n      {hosts}\n",
    )
    assert bool(built.nics.enabled[nic(built, "a1", 0)]) is expected
    assert built.nics.enabled.sum() == len(built.nics) - (not expected)


def test_a_disabled_cable_frees_its_port() -> None:
    """A second cable may end there."""
    built = fabric(
        "",
        "hosts:\n  - names: a2\n    nics: [{rail: 1, enabled: false}]\n"
        "  - names: a1\n    nics: [{rail: 1, port: Ethernet8}]\n",
    )
    assert built.nics.port[nic(built, "a1", 1)] == 2


def test_switches_take_asn_loopback_and_model() -> None:
    """The later override counts, field by field."""
    built = fabric(
        "devices:\n  - {names: 'spine[01-02]', asn: 65200, loopback: 10.255.0.77}\n"
        "  - {names: spine02, loopback: 10.255.0.78, sku: ACS-SN5600}\n"
    )
    rows = [built.switch_row[name] for name in ("spine01", "spine02")]
    assert built.switches.asn[rows].tolist() == [65200, 65200]
    assert (built.switches.loopback[rows] & 255).tolist() == [77, 78]
    assert [built.switches.skus[row].name for row in rows] == ["ACS-MSN4700", "ACS-SN5600"]
