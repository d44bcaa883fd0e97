"""Lines of other tools that say nothing of routing: `prove` understands them on each system."""

from __future__ import annotations

import json

from fabric.core.plugins import import_plugins
from fabric.observe.configuration import readers
from tests.cases import each

import_plugins("reading")

#: File and text by system.
SFLOW = {
    "comware7": (
        "running-config",
        (
            "sflow agent ip 192.0.2.9\nsflow collector 1 ip 192.0.2.1\n"
            "interface HundredGigE1/0/1\n sflow sampling-rate 4096\n"
        ),
    ),
    "cumulus": ("nv-set", "nv set system sflow collector 192.0.2.100 port 6344\n"),
    "eos": ("startup-config", "sflow run\ninterface Ethernet1\n   no sflow enable\n"),
    "esonic": (
        "running-configuration",
        "sflow enable\ninterface Ethernet0\n sflow sampling-rate 4096\n",
    ),
    "junos": ("set", "set protocols sflow collector 192.0.2.50 udp-port 6343\n"),
    "nxos": ("running-config", "feature sflow\nsflow data-source interface ethernet 1/1\n"),
    "sonic": (
        "config_db",
        json.dumps({
            "SFLOW": {"global": {"admin_state": "up"}},
            "SFLOW_COLLECTOR": {"one": {"collector_ip": "192.0.2.1"}},
            "SFLOW_SESSION": {"all": {"admin_state": "up"}},
        }),
    ),
    "vrp8": (
        "running-config",
        "sflow collector 1 ip 192.0.2.50\ninterface 100GE1/0/1\n sflow sampling collector 1\n",
    ),
}


@each("system", SFLOW)
def test_sflow_says_nothing_of_routing(system: str) -> None:
    file, text = SFLOW[system]
    assert readers[system]({file: text}).leftovers == []
