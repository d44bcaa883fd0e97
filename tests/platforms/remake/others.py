"""Data files of models of the other systems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from fabric.exchange.hardware.model import Panel
from fabric.exchange.hardware.panel import panel
from fabric.exchange.values import folded
from fabric.platforms.asic_catalogue import asic
from fabric.platforms.breakout import parse_mode
from fabric.platforms.cage import CageKind
from fabric.systems.eos.hardware import speed_word
from fabric.systems.eos.platforms import queue_word
from fabric.systems.sonic.hardware import read
from tests.platforms.remake.sonic import BUILDIMAGE, sources
from tests.platforms.remake.text import Content, text

#: Device folders below ``arista`` whose aliases are the port names of EOS, and the model.
EOS = {
    "x86_64-arista_7050cx3_32c/Arista-7050CX3-32C-C32": ("7050CX3-32C", "trident-3"),
    "x86_64-arista_7050cx3_32s/Arista-7050CX3-32S-C32": ("7050CX3-32S", "trident-3"),
    "x86_64-arista_7050px4_32s/Arista-7050PX4-32S": ("7050PX4-32S", "trident-4"),
    "x86_64-arista_7050sx3_48yc8/Arista-7050SX3-48YC8": ("7050SX3-48YC8", ""),
    "x86_64-arista_7060_cx32s/Arista-7060CX-32S-C32": ("7060CX-32S", ""),
    "x86_64-arista_7060cx2_32s/Arista-7060CX2-32S-C32": ("7060CX2-32S", ""),
    "x86_64-arista_7060dx4_32/Arista-7060DX4-32": ("7060DX4-32", ""),
    "x86_64-arista_7060dx5_32/Arista-7060DX5-32": ("7060DX5-32", ""),
    "x86_64-arista_7060dx5_64s/Arista-7060DX5-64S": ("7060DX5-64S", ""),
    "x86_64-arista_7060px4_32/Arista-7060PX4-O32": ("7060PX4-32", ""),
    "x86_64-arista_7060px5_64s/Arista-7060PX5-64S": ("7060PX5-64S", ""),
    "x86_64-arista_7060x6_32pe/Arista-7060X6-32PE": ("7060X6-32PE", ""),
    "x86_64-arista_7060x6_64de/Arista-7060X6-64DE": ("7060X6-64DE", ""),
    "x86_64-arista_7260cx3_64/Arista-7260CX3-C64": ("7260CX3-64", "tomahawk-2"),
    "x86_64-arista_7280cr3_32d4/Arista-7280CR3-C32D4": ("7280CR3-32D4", ""),
    "x86_64-arista_7280cr3_32p4/Arista-7280CR3-C32P4": ("7280CR3-32P4", ""),
}
#: Device folders below ``mellanox``, and the model as Cumulus Linux documents it.
CUMULUS = {
    "x86_64-mlnx_msn2010-r0/ACS-MSN2010": "SN2010",
    "x86_64-mlnx_msn2100-r0/ACS-MSN2100": "SN2100",
    "x86_64-mlnx_msn3420-r0/ACS-MSN3420": "SN3420",
    "x86_64-mlnx_msn3700c-r0/ACS-MSN3700C": "SN3700C",
    "x86_64-mlnx_msn4410-r0/ACS-MSN4410": "SN4410",
    "x86_64-mlnx_msn4600-r0/ACS-MSN4600": "SN4600",
    "x86_64-mlnx_msn4600c-r0/ACS-MSN4600C": "SN4600C",
}
_INFERRED = "queue_submode: inferred from the family, as for the 7060X6."


def files(image: Path | None, hedgehog: Path | None) -> Iterator[tuple[str, str, str]]:
    """Yield system, model and text of every data file that can be made from what is there."""
    if image:
        for folder, (name, family) in EOS.items():
            yield "eos", name, text(_eos(image / "device", folder, name, family))
        for folder, name in CUMULUS.items():
            yield "cumulus", name, text(_cumulus(image / "device", folder, name))
    if hedgehog:
        for module, name in HEDGEHOG.items():
            source = (hedgehog / "pkg" / "ctrl" / "switchprofile" / module).read_text()
            yield "esonic", name, text(_esonic(source, module, name))
    for name, content in PRINTED.items():
        system = content.nos
        yield system, name, text(content)


def _front(root: Path, folder: str, family: str) -> tuple[Panel, str]:
    hardware = read(tuple(sources(root / folder)))
    assert hardware is not None
    return panel(hardware, folder), asic(family or hardware.asic).name


def _eos(root: Path, folder: str, name: str, family: str) -> Content:
    front, chip = _front(root, f"arista/{folder}", family)
    kinds = tuple(_eos_kind(kind) for kind in front.kinds)
    cages = " and ".join(
        f"{kind.count} cages of {kind.lanes} {'lane' if kind.lanes == 1 else 'lanes'}"
        for kind in kinds
    )
    word = queue_word(asic(chip))
    return Content(
        comments=(f"Arista {name}: {cages}", _INFERRED),
        nos="eos",
        asic=chip,
        source=f"{BUILDIMAGE} device/arista/{folder} (port names as aliases, speeds, ASIC); "
        "pyavd 6.4.0 schema (speed tokens)",
        aliases=tuple(f"DCS-{name}{fans}" for fans in ("", "-F", "-R")),
        queue_submode=word,
        panel=Panel(kinds),
    )


def _eos_kind(kind: CageKind) -> CageKind:
    """Return a kind of cage with the names of EOS; R3 has two lanes of 50G behind four of 25G."""
    assert kind.alias in {"Ethernet{number}/1", "Ethernet{number}"}, kind.alias
    lanes = max(kind.lanes, 4) if kind.alias.endswith("/1") else kind.lanes
    split = kind.alias.endswith("/1") and _splits(kind)
    modes = map(parse_mode, kind.breakouts) if split else ()
    speeds = {*kind.speeds_gbps, *(mode.speeds_gbps[0] for mode in modes)}
    fastest = max(kind.speeds_gbps)
    words = {speed: word for speed in speeds if (word := speed_word(fastest, lanes, speed))}
    return CageKind(
        count=kind.count,
        lanes=lanes,
        speeds_gbps=tuple(speed for speed in kind.speeds_gbps if speed in words),
        name=kind.alias,
        alias="{number}",
        part_name="Ethernet{number}/{first}" if kind.alias.endswith("/1") else "",
        part_alias="{number}/{first}" if kind.alias.endswith("/1") else "",
        breakouts=kind.breakouts if _splits(kind) else (),
        speed_tokens=words,
    )


def _cumulus(root: Path, folder: str, name: str) -> Content:
    front, chip = _front(root, f"mellanox/{folder}", "")
    kinds = tuple(
        replace(
            kind,
            name="swp{number}",
            alias="swp{number}",
            part_name="swp{number}s{part}" if _splits(kind) else "",
            part_alias="swp{number}s{part}" if _splits(kind) else "",
            step=0,
        )
        for kind in front.kinds
    )
    return Content(
        comments=(f"{name}: ports as in the vendor's own files of {BUILDIMAGE}",),
        nos="cumulus",
        asic=chip,
        source=f"{BUILDIMAGE} device/mellanox/{folder} (ports, lanes, speeds); "
        "CumulusNetworks/docs content/cumulus-linux-514 Switch Port Attributes (port names)",
        panel=Panel(kinds),
        facts={"release": "5.14"},
    )


def _splits(kind: CageKind) -> bool:
    return any(not mode.startswith("1x") for mode in kind.breakouts)


#: Switch profiles of githedgehog/fabric for Broadcom's Enterprise SONiC, and the model.
HEDGEHOG = {
    "p_bcm_celestica_ds2000.go": "Celestica-DS2000",
    "p_bcm_celestica_ds3000.go": "Celestica-DS3000",
    "p_bcm_celestica_ds4000.go": "Celestica-DS4000",
    "p_bcm_celestica_ds4101.go": "Celestica-DS4101",
    "p_bcm_celestica_ds5000.go": "Celestica-DS5000",
    "p_bcm_dell_s5232f_on.go": "S5232F-ON",
    "p_bcm_dell_s5248f_on.go": "S5248F-ON",
    "p_bcm_edgecore_dcs203.go": "Edgecore-AS7326-56X",
    "p_bcm_edgecore_dcs204.go": "Edgecore-AS7726-32X",
    "p_bcm_edgecore_dcs240.go": "Edgecore-AS9726-32D",
    "p_bcm_edgecore_dcs501.go": "Edgecore-AS7712-32X",
}
_PROFILES = "githedgehog/fabric 78827debafab pkg/ctrl/switchprofile"
_PORT = re.compile(
    r'"E1/(\d+)":\s*\{NOSName: "([^"]+)",(?: BaseNOSName: "([^"]+)",)? Label: "\d+",'
    r'(?: Profile: "([^"]+)")?(?: ?Group: "(\d+)")?'
)
_CHIPS = {"TH": "tomahawk-1", "TH4G": "tomahawk-4"}


def _esonic(source: str, module: str, name: str) -> Content:
    """Return a model from a switch profile: ports of one profile that follow each other."""
    chip = re.search(r"SiliconBroadcom(\w+?)(?:_\w+)?,", source)
    assert chip is not None
    rows = []
    for match in _PORT.finditer(source):
        profile = match[4] or "SFP28-25G"
        first = int((match[3] or match[2]).removeprefix("Ethernet"))
        rows.append((int(match[1]), first, profile))
    rows.sort()
    kinds: list[CageKind] = []
    for profile in dict.fromkeys(row[2] for row in rows):
        kind = _profile(source, profile, [row for row in rows if row[2] == profile])
        if max(kind.speeds_gbps) > 10 or not kinds:
            kinds.append(kind)
    if len(kinds) > 1 and max(kinds[-1].speeds_gbps) == 25:
        kinds.pop()
    family = asic(_CHIPS.get(chip[1], chip[1].lower())).name
    profile = re.search(r'Name: "([a-z0-9-]+)"', source)
    assert profile is not None
    return Content(
        comments=(f"{name}: cages of the fabric; ports for management or service do not count",),
        nos="esonic",
        asic=family,
        aliases=() if folded(profile[1]) == folded(name) else (profile[1],),
        source=f"{_PROFILES}/{module} (names, speeds, breakouts, ASIC); ansible-collections/"
        "dellemc.enterprise_sonic @ 9851e680 sonic_interfaces (Eth1/1 as alternate name), "
        "sonic_port_breakout (Eth1/1/1)",
        panel=Panel(tuple(kinds)),
    )


def _profile(source: str, profile: str, rows: list[tuple[int, int, str]]) -> CageKind:
    steps = {two[1] - one[1] for one, two in pairwise(rows)} or {1}
    assert len(steps) == 1, (profile, steps)
    lanes = steps.pop()
    body = source.split(f'\t\t\t"{profile}": {{', 1)[1]
    body = body.split("\n\t\t\t},", 1)[0]
    modes = re.findall(r'"(\d+)x(\d+)G":\s*\{Offsets: \[\]string\{([^}]*)\}', body)
    if modes:
        speeds = {int(speed) for parts, speed, _ in modes if parts == "1"}
    else:
        listed = re.search(r"Supported:\s*\[\]string\{([^}]*)\}", body)
        assert listed is not None
        speeds = {int(speed) for speed in re.findall(r'"(\d+)G"', listed[1])}
    words = [_mode(int(parts), speed, offsets, lanes) for parts, speed, offsets in modes]
    split = any(not word.startswith("1x") for word in words)
    return CageKind(
        count=len(rows),
        lanes=lanes,
        speeds_gbps=tuple(sorted(speeds - {1})),
        name="Ethernet{lane}",
        alias="Eth1/{number}",
        part_name="Ethernet{lane}" if split else "",
        part_alias="Eth1/{number}/{ordinal}" if split else "",
        breakouts=tuple(words) if split else (),
    )


def _mode(parts: int, speed: str, offsets: str, lanes: int) -> str:
    """Return a mode; the lanes in use follow it where they are not all."""
    starts = [int(word) for word in re.findall(r"\d+", offsets)]
    used = lanes if parts == 1 else parts * (starts[1] - starts[0])
    return f"{parts}x{speed}G" + ("" if used == lanes else f"({used})")


_NETBOX = "netbox-community/devicetype-library"
_NXOS = "batfish/batfish @ cba18733 CiscoNxos_interface.g4 (speed in Mb/s)"
_H_SERIES = "Cisco Nexus 9300-H Series Switches white paper (ports, ASIC)"


def _nxos_kind(count: int, lanes: int, *speeds: int) -> CageKind:
    split = lanes > 1
    return CageKind(
        count=count,
        lanes=lanes,
        speeds_gbps=speeds,
        name="Ethernet1/{number}",
        alias="{number}",
        part_name="Ethernet1/{number}/{ordinal}" if split else "",
        part_alias="{number}/{ordinal}" if split else "",
    )


def _nxos(comment: str, chip: str, source: str, *kinds: CageKind) -> Content:
    return Content(
        comments=(comment,),
        aliases=(comment.partition(":")[0].removeprefix("Cisco "),),
        nos="nxos",
        asic=chip,
        source=f"{source}; {_NXOS}",
        panel=Panel(kinds),
    )


_QFX5130 = CageKind(
    count=32,
    lanes=8,
    speeds_gbps=(100, 200, 400),
    name="et-0/0/{index}",
    alias="et-0/0/{index}",
    part_name="et-0/0/{index}:{part}",
    part_alias="et-0/0/{index}:{part}",
    speed_tokens={speed: f"{speed}g" for speed in (100, 200, 400)},
)
_BUFFERS = (
    "juniper.net traffic-mgmt-qfx/topics/concept/"
    "cos-qfx-series-buffer-configuration-understanding.html"
)
PRINTED = {
    "N9K-C9336C-FX2": _nxos(
        "Cisco Nexus 9336C-FX2: 36 QSFP28 cages of 4 x 25G lanes",
        "cloud-scale-fx2",
        f"{_NETBOX} @ 28b13ec3 device-types/Cisco/N9K-C9336C-FX2.yaml (ports)",
        _nxos_kind(36, 4, 40, 100),
    ),
    "N9K-C93600CD-GX": _nxos(
        "Cisco Nexus 93600CD-GX: 28 QSFP28 cages of 4 lanes, then 8 QSFP-DD cages of 8 x 50G lanes",
        "cloud-scale-gx",
        f"{_NETBOX} @ 28b13ec3 device-types/Cisco/N9K-C93600CD-GX.yaml (ports)",
        _nxos_kind(28, 4, 40, 100),
        _nxos_kind(8, 8, 100, 400),
    ),
    "N9K-C9332D-H2R": _nxos(
        "Cisco Nexus 9332D-H2R: 32 QSFP-DD cages of 8 x 50G lanes; the two SFP+ ports do not count",
        "cloud-scale-h2r",
        _H_SERIES,
        _nxos_kind(32, 8, 100, 400),
    ),
    "N9K-C93400LD-H1": _nxos(
        "Cisco Nexus 93400LD-H1: 48 SFP56 cages, then 4 QSFP-DD cages of 8 x 50G lanes",
        "cloud-scale-h1",
        _H_SERIES,
        _nxos_kind(48, 1, 10, 25, 50),
        _nxos_kind(4, 8, 100, 400),
    ),
    "QFX5130-32CD": Content(
        comments=(
            "Juniper QFX5130-32CD: 32 cages of 8 lanes; ports begin at 0, slot and PIC are 0",
            "facts: the shares are those of the QFX5220 and QFX5230, no source has them for this",
            "model; the switch rejects a commit that they do not suit, and changes nothing.",
        ),
        nos="junos",
        asic="trident-4",
        source=f"{_NETBOX} @ 5bef3c48 device-types/Juniper/QFX5130-32CD.yaml (ports); Juniper/"
        "terraform-apstra-examples @ 28d884d3 ai-cluster-jvd/configlet_dcqcn.tf (shared buffer of "
        "the QFX5220 and QFX5230); Juniper/yang @ 2a696d62 24.4R1-EVO junos-conf-interfaces "
        "(speeds)",
        panel=Panel((_QFX5130,)),
        sources={
            "buffer": f"{_BUFFERS} and configuration essentials of class of service: 132 MB; "
            "MB read as 10^6"
        },
        own_facts={"buffer_bytes": (132_000_000, "deduced", "buffer")},
        facts={
            "ingress_lossless_percent": "80",
            "ingress_headroom_percent": "10",
            "ingress_lossy_percent": "10",
            "egress_lossless_percent": "80",
            "egress_lossy_percent": "20",
        },
        facts_comment="percents of the shared buffer, and of the whole for the dedicated one",
    ),
}
