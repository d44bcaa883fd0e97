"""Small outputs and files as switches have them, written for the tests."""

from __future__ import annotations

import json
from collections.abc import Iterable

EOS_VERSION = "Arista DCS-7060DX4-32S-F\nHardware version: 11.00\nSoftware image version: 4.30.1F\n"
EOS_INVENTORY = """System information
  Model                    Description
  ------------------------ ----------------------------------------------------
  DCS-7060DX4-32S          32x400G QSFP-DD 1RU

System has 4 switched transceiver slots
  Port Manufacturer     Model            Serial Number    Rev
  ---- ---------------- ---------------- ---------------- ----
  1    Not Present
"""
_EOS_SPEEDS = "10G/full,25G/full,50G-1/full,100G-4/full,\n                 400G-8/full,auto"


def eos_hardware(cages: int = 4, lanes: int = 8) -> str:
    """Return `show interfaces hardware` of cages of 400G and two ports for service."""
    blocks = [
        f"Ethernet{cage}/{lane}\n  Model:         DCS-7060DX4-32S\n  Type:          Not Present\n"
        f"  Speed/Duplex:  {_EOS_SPEEDS if lane == 1 else '10G/full,25G/full'}\n"
        "  Flowcontrol:   rx-(off,on),tx-(off,on)\n"
        for cage in range(1, cages + 1)
        for lane in range(1, lanes + 1)
    ]
    blocks += [f"Ethernet{cages + n}\n  Speed/Duplex:  10G/full,auto\n" for n in (1, 2)]
    return "".join(blocks)


def eos_json(cages: int = 4) -> list[str]:
    """Return the same in JSON, without the parts of the cages."""
    modes = [{"link": {"speed": f"{gbps}Gbps"}} for gbps in (100, 400)]
    ports = {f"Ethernet{cage}/1": {"modes": modes} for cage in range(1, cages + 1)}
    slots = {str(cage): {} for cage in range(1, cages + 1)}
    return [
        json.dumps({"modelName": "DCS-7060DX4-32S-F", "version": "4.30.1F"}),
        json.dumps({"systemInformation": {"name": "DCS-7060DX4-32S"}, "xcvrSlots": slots}),
        json.dumps({"interfaces": ports}),
    ]


NXOS_MODULE = """Mod Ports             Module-Type                      Model           Status
--- ----- ------------------------------------- --------------------- ---------
1    54   48x10/25G + 6x40/100G Ethernet Modul  N9K-C93180YC-FX2      active *

Mod  Sw                       Hw    Slot
---  ----------------------- ------ ----
1    10.3(4a)                1.0    NA
"""
NXOS_JSON = json.dumps({
    "TABLE_modinfo": {
        "ROW_modinfo": {
            "modinf": "1",
            "ports": "36",
            "modtype": "36x40/100G Ethernet Module",
            "model": "N9K-C9336C-FX2",
            "status": "active *",
        }
    }
})


def nxos_capabilities(ports: Iterable[int] = range(1, 5)) -> str:
    """Return `show interface capabilities` of ports of 40G and 100G."""
    return "".join(
        f"Ethernet1/{port}\n  Model:                 N9K-C9336C-FX2\n"
        "  Type (SFP capable):    --\n  Speed:                 40000,100000\n"
        "  Duplex:                full\n"
        for port in ports
    )


JUNOS_TEXT = """Hardware inventory:
Item             Version  Part number  Serial number     Description
Chassis                                XX0000000001      QFX5120-48Y-8C
Pseudo CB 0
Routing Engine 0          BUILTIN      BUILTIN           RE-QFX5120-48Y-8C
FPC 0            REV 10   650-082477   XX0000000001      QFX5120-48Y-8C
  CPU                     BUILTIN      BUILTIN           FPC CPU
  PIC 0                   BUILTIN      BUILTIN           48x25G-8x100G
    Xcvr 48      REV 01   740-061405   1ACQ0000000       QSFP-100GBASE-SR4
Power Supply 0   REV 04   740-085431   1GD20000000       JPSU-650W-AC-AO
"""
_JUNOS = (("Chassis", "QFX5130-32CD"), ("FPC 0", "QFX5130-32CD"), ("PIC 0", "32X400G-QSFP-DD"))
JUNOS_XML = (
    '<rpc-reply xmlns:junos="http://xml.juniper.net/junos/23.4R2/junos"><chassis-inventory '
    'xmlns="http://xml.juniper.net/junos/23.4R2/junos-chassis">'
    + "".join(f"<chassis><name>{n}</name><description>{d}</description>" for n, d in _JUNOS)
    + "</chassis>" * len(_JUNOS)
    + "</chassis-inventory></rpc-reply>"
)


def _junos_json() -> str:
    inner: dict[str, object] = {}
    for name, text in reversed(_JUNOS):
        item = {"name": [{"data": name}], "description": [{"data": text}], **inner}
        inner = {"chassis" if name == "Chassis" else "chassis-module": [item]}
    return json.dumps({"chassis-inventory": [inner]})


JUNOS_JSON = _junos_json()


def port_config(cages: int = 4, lanes: int = 8, speed: int = 400_000) -> str:
    """Return a port_config.ini with lanes in another order than the ports, and a service port."""
    rows = ["# name lanes alias index speed"]
    for cage in range(cages):
        first = (cage ^ 1) * lanes + 1
        numbers = ",".join(str(lane) for lane in range(first, first + lanes))
        rows.append(f"Ethernet{cage * lanes} {numbers} etp{cage + 1} {cage + 1} {speed}")
    rows.append(f"Ethernet{cages * lanes} {cages * lanes + 1} etp{cages + 1} {cages + 1} 10000")
    return "\n".join(rows) + "\n"


def platform_json(cages: int = 4, lanes: int = 8) -> str:
    """Return a platform.json that offers parts of the cages of `port_config`."""
    interfaces = {}
    for cage in range(cages):
        first = (cage ^ 1) * lanes + 1
        interfaces[f"Ethernet{cage * lanes}"] = {
            "index": ",".join([str(cage + 1)] * lanes),
            "lanes": ",".join(str(lane) for lane in range(first, first + lanes)),
            "breakout_modes": {
                "1x400G[200G,100G]": [f"etp{cage + 1}"],
                "2x200G[100G]": [f"etp{cage + 1}{letter}" for letter in "ab"],
                "4x100G": [f"etp{cage + 1}{letter}" for letter in "abcd"],
            },
        }
    return json.dumps({"chassis": {"name": "Own"}, "interfaces": interfaces})


PROFILE = "SAI_INIT_CONFIG_FILE=/usr/share/sonic/hwsku/th4-own-4x400G.config.bcm\n"
HEADROOM = """# PG lossless profiles.
# speed cable size xon xoff threshold xon_offset
400000 5m 9144 9144 371348 0 9144
400000 40m 9144 9144 424434 0 9144
"""
CONFIG_DB = json.dumps({
    "TACPLUS_SERVER": {"192.0.2.9": {"passkey": "not-for-the-model"}},
    "BUFFER_POOL": {
        "ingress_lossless_pool": {
            "size": "60000000", "type": "ingress", "mode": "dynamic", "xoff": "20000000",
        },
        "egress_lossless_pool": {"size": "60000000", "type": "egress", "mode": "static"},
    },
    "BUFFER_PROFILE": {
        "ingress_lossy_profile": {
            "pool": "ingress_lossless_pool", "size": "0", "static_th": "60000000",
        },
        "egress_lossless_profile": {
            "pool": "egress_lossless_pool", "size": "0", "static_th": "60000000",
        },
        "egress_lossy_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "3"},
        "queue1_downlink_lossy_profile": {
            "pool": "egress_lossless_pool", "size": "0", "packet_discard_action": "drop",
        },
    },
})  # fmt: skip
