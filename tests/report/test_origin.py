"""Where the planned side of a change comes from, on every system."""

from __future__ import annotations

from functools import cache

import pytest

from fabric.change.model import Change, Risk
from fabric.report.origin import Origins
from fabric.workflow.explain import device_artefacts
from fabric.workflow.init import example
from fabric.workflow.project import Project

KMAX = ("fabric.lossless.ecn.kmax_bytes", "3000000", "fabric.yaml:45:30")
MTU = ("fabric.lossless.mtu.port_bytes", "9100", "rocefab default")
OWN_MTU = ("devices.7.ports.Ethernet1/1.lossless.mtu.port_bytes", "9216", "systems.yaml:")
#: device, path, before, after -> file of the line, value
CASES = {
    "row of SONiC": (
        ("sonic-leaf", "WRED_PROFILE|AZURE_LOSSLESS|green_max_threshold", "900000", "3000000"),
        "sonic-leaf/config_db.json",
        KMAX,
    ),
    "port of SONiC": (
        ("sonic-leaf", "PORT|Ethernet0|mtu", "9000", "9100"),
        "sonic-leaf/config_db.json",
        MTU,
    ),
    "EOS": (
        ("eos-leaf", "interface Ethernet1/1: mtu 9100", "", "mtu 9100"),
        "eos-leaf/startup-config.eos",
        MTU,
    ),
    "NX-OS, own value of a port": (
        ("nxos-leaf", "interface Ethernet1/1: mtu 9216", "", "mtu 9216"),
        "nxos-leaf/running-config.nxos",
        OWN_MTU,
    ),
    "NX-OS, another port": (
        ("nxos-leaf", "interface Ethernet1/17: mtu 9100", "", "mtu 9100"),
        "nxos-leaf/running-config.nxos",
        MTU,
    ),
    "Junos": (
        ("junos-leaf", "interfaces et-0/0/0 mtu 9100", "", "set interfaces et-0/0/0 mtu 9100"),
        "junos-leaf/junos.set",
        MTU,
    ),
    "Cumulus Linux": (
        ("cumulus-leaf", "interface swp1 link mtu", "9000", "9100"),
        "cumulus-leaf/config.nv",
        MTU,
    ),
}


@cache
def origins(device: str) -> Origins:
    project = Project(example("mixed"))
    return Origins(project, device, device_artefacts(project, device))


@pytest.mark.parametrize("name", CASES)
def test_line_and_value(name):
    (device, path, before, after), file, (field, value, where) = CASES[name]
    result = origins(device).of(Change(path, before, after, Risk.HARMLESS))
    assert result is not None
    assert file in result.subject
    assert (result.values[0].field, result.values[0].value) == (field, value)
    assert where in result.values[0].where


@pytest.mark.parametrize(
    "change",
    [
        Change("interface Ethernet1/1: mtu 9000", "mtu 9000", "", Risk.HARMLESS),
        Change("interface Ethernet9/9: mtu 1", "", "mtu 1", Risk.HARMLESS),
    ],
)
def test_what_nobody_planned_has_none(change):
    assert origins("eos-leaf").of(change) is None


def test_a_line_that_stands_twice_is_told_by_its_section():
    ports = ("Ethernet1/1", "Ethernet17/1")
    built = [Change(f"interface {p}: mtu 9100", "", "mtu 9100", Risk.HARMLESS) for p in ports]
    first, second = (origins("eos-leaf").of(change) for change in built)
    assert first is not None
    assert second is not None
    assert int(first.subject.rpartition(":")[2]) < int(second.subject.rpartition(":")[2])
