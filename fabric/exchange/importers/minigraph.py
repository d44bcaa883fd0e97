"""SONiC minigraphs: a file describes one switch, its links, and the devices at their other ends.

Form: sonic-net/sonic-buildimage, src/sonic-config-engine/minigraph.py, ``parse_png``, ``parse_cpg``
and ``parse_dpg``; types of devices: ``backend_device_types`` and the roles of Clos tiers there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import quoted
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.megabits import gbps
from fabric.exchange.models import aliases
from fabric.exchange.notes import Notes
from fabric.exchange.values import malformed, meant
from fabric.exchange.xml_text import xml_of
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.exchange.plant import End
    from fabric.exchange.xml_text import Element

#: Tier of a device by its type: the ToR is tier 0, and leaf routers are above it.
_ROLES = {
    **dict.fromkeys(("torrouter", "backendtorrouter"), "leaf"),
    **dict.fromkeys(("leafrouter", "backendleafrouter"), "spine"),
    **dict.fromkeys(("spinerouter", "lowerspinerouter", "upperspinerouter"), "super-spine"),
    "server": "host",
}
#: Parts of a chassis, and cables that switch between two leaves.
_NO_DEVICES = {"Asic", "FabricAsic", "LinecardAsic", "SmartCable"}
_LINK = "DeviceInterfaceLink"
#: Of a device that cannot be reached.
_NOWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared, not bound
_IGNORED = "add the cables with the inventory if they are part of the fabric"


class _Graphs:
    def __init__(self, source: Path, settings: Settings) -> None:
        self._draft = Draft.of(source, settings)
        self._notes = Notes(str(source))
        self._meanings = {**_ROLES, **settings.roles}
        self._ports: dict[str, dict[str, str]] = {}
        self._types: dict[str, str] = {}
        self._cabled: set[frozenset[End]] = set()

    def take(self, path: Path) -> None:
        """Take a minigraph in, or raise InputError."""
        root = xml_of(path)
        if root.tag != "DeviceMiniGraph":
            message = f"the root is {quoted(root.tag)}, and DeviceMiniGraph is expected"
            raise malformed(path, message, "provide the minigraph of a switch", root.line)
        self._draft.file = str(path)
        asns = {
            router.value("Hostname"): router.value("ASN")
            for router in root.all("CpgDec", "Routers", "BGPRouterDeclaration")
        }
        for device in root.all("PngDec", "Devices", "Device"):
            self._device(device, asns)
        self._loopback(root)
        for link in root.all("PngDec", "DeviceInterfaceLinks", "DeviceLinkBase"):
            self._link(link)

    def imported(self) -> Imported:
        plant = self._draft.plant()
        return Imported(plant, self._notes.all())

    def _device(self, device: Element, asns: dict[str, str]) -> None:
        name = device.value("Hostname")
        kind = device.attributes.get("type", "") or device.value("ElementType")
        kind = kind.rpartition(":")[2]
        known = name in self._types
        self._types.setdefault(name, kind)
        if kind in _NO_DEVICES or known:
            return
        of_kind, role = meant(kind, self._meanings) or ("switch", "")
        asn, model = asns.get(name, ""), device.value("HwSku")
        self._ports[name] = aliases(model)
        ways = (device.value(f"ManagementAddress{one}", "IPPrefix") for one in ("", "V6"))
        management = next((one for one in ways if one.partition("/")[0] not in _NOWHERE), "")
        values: dict[str, object] = {"kind": of_kind, "role": role}
        if of_kind == "switch":
            values |= {"model": model, "system": "sonic", "asn": asn if asn != "0" else None}
        if management:
            values["management"] = management
        self._draft.device(name, self._draft.place(device.line), values)

    def _loopback(self, root: Element) -> None:
        for plane in root.all("DpgDec", "DeviceDataPlaneInfo"):
            name = plane.value("Hostname")
            for loopback in plane.all("LoopbackIPInterfaces", "LoopbackIPInterface"):
                address = loopback.value("PrefixStr") or loopback.value("Prefix", "IPPrefix")
                if loopback.value("AttachTo") == "Loopback0" and "." in address and name:
                    place = self._draft.place(loopback.line)
                    self._draft.device(name, place, {"loopback": address})

    def _link(self, link: Element) -> None:
        kind = link.attributes.get("type", "") or link.value("ElementType")
        ends = [self._end(link, side) for side in ("Start", "End")]
        name = " to ".join(" ".join(end) for end in ends)
        if kind.rpartition(":")[2] != _LINK:
            self._notes.add("links of other kinds than cables are ignored", _IGNORED, name)
            return
        away = [device for device, _ in ends if self._types.get(device) in _NO_DEVICES]
        undefined = [device for device, _ in ends if device not in self._types]
        if away or undefined:
            what = "undefined devices" if undefined else "parts of a chassis and smart cables"
            self._notes.add(f"links to {what} are ignored", _IGNORED, name)
            return
        if ends[0][0] == ends[1][0]:
            fix = "correct one of the ends if it is a cable"
            self._notes.add("links from a device to itself are ignored", fix, name)
            return
        if frozenset(ends) in self._cabled:
            return
        self._cabled.add(frozenset(ends))
        place = self._draft.place(link.line)
        speed = gbps(self._draft, link.value("Bandwidth"), place)
        self._draft.cable(ends[0], ends[1], place, {"speed_gbps": speed})

    def _end(self, link: Element, side: str) -> End:
        """Return an end, with the port that a known model has for the alias in the file."""
        device, port = link.value(f"{side}Device"), link.value(f"{side}Port")
        return device, self._ports.get(device, {}).get(port.lower(), port)


def _files(source: Path) -> Iterator[Path]:
    if not source.is_dir():
        yield source
        return
    files = sorted(source.glob("*.xml"))
    if not files:
        place = Position(str(source))
        fix = "specify a file, or a folder with a file of each switch"
        message = "the folder has no files *.xml"
        finding = Finding("EXC006", Severity.ERROR, message, fix, position=place)
        raise input_error([finding], str(source))
    yield from files


def _read(path: Path, settings: Settings) -> Imported:
    graphs = _Graphs(path, settings)
    for file in _files(path):
        graphs.take(file)
    return graphs.imported()


importers.add("minigraph")(Importer(_read))
