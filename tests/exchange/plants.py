"""Plants for the tests: of the examples, small random ones, and files written and read back."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.core.exports import About, export, exporters, forms
from fabric.exchange.forms import Imported, Settings, importers
from fabric.exchange.lab import Lab
from fabric.exchange.network import plant
from fabric.exchange.plant import DISABLED, Cable, Device, Nic, Plant
from tests.topology.fabrics import INVENTORY, example

#: All example inventories but the large one.
EXAMPLES = sorted({path.parent.name for path in INVENTORY.glob("*/fabric.yaml")} - {"rail-512"})
#: Forms that describe a fabric, as it is or as a virtual lab.
FABRIC_FORMS = sorted((*forms(About.FABRIC), *forms(About.LAB)))


#: What sources of cables alone do not say: addresses, and VLANs.
ADDRESSES = frozenset({"cable.near_address", "cable.far_address", "cable.vlan"})


def of_example(name: str) -> Plant:
    return plant(example(name))


def put(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files below a folder and return the first."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / next(iter(files))


def written(built: Plant, form: str, folder: Path) -> Path:
    """Export a plant into a folder and return what is to be imported."""
    exporter = exporters[form]
    files = export(Lab(built) if exporter.about is About.LAB else built, exporter).files
    first = put(folder, {file.path: file.content for file in files})
    return first if len(files) == 1 else folder


def read(form: str, path: Path, **settings) -> Imported:
    return importers[form].read(path, Settings(**settings))


def refused(form: str, folder: Path, files: dict[str, str | bytes], **settings) -> list[str]:
    """Return what is said of a source that is wrong, with the folder left out."""
    source = put(folder, files)
    try:
        read(form, source, **settings)
    except InputError as error:
        return [str(finding).replace(f"{folder}/", "") for finding in error.findings]
    return []


_TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8).filter(
    lambda text: "{{" not in text and "{%" not in text and text == text.strip()
)
_NAME = st.from_regex(r"[a-z][a-z0-9]{0,3}(-[0-9]{1,2})?", fullmatch=True)
_PORT = st.from_regex(r"[A-Za-z][A-Za-z0-9/:_.-]{0,9}", fullmatch=True)
_INTERFACE = st.from_regex(r"[a-z][a-z0-9_.-]{0,9}", fullmatch=True)
_ADDRESS = st.ip_addresses(v=4).map(str)
_MANAGEMENT = st.one_of(_ADDRESS, st.ip_addresses(network="2001:db8::/32").map(str))
_MAC = st.from_regex(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}", fullmatch=True)


def _maybe(values, nothing):
    return st.one_of(st.just(nothing), values)


@st.composite
def _devices(draw, name: str, number: int) -> Device:
    host = number % 2 == 0
    common = {
        "unit": draw(_maybe(_NAME, "")),
        "pod": draw(_maybe(_NAME, "")),
        "rack": draw(_TEXT),
        "serial": draw(_TEXT),
        "mac": draw(_maybe(_MAC, "")),
        "management": draw(_maybe(_MANAGEMENT, "")),
    }
    if host:
        return Device(name, "host", **common)
    return Device(
        name,
        "switch",
        role=draw(st.sampled_from(("", "leaf", "spine", "super-spine"))),
        rail=draw(_maybe(st.integers(0, 63), None)),
        plane=draw(_maybe(st.integers(0, 3), None)),
        model=draw(_TEXT),
        system=draw(st.sampled_from(("", "sonic", "eos"))),
        asn=draw(_maybe(st.integers(1, 4_294_967_294), None)),
        loopback=draw(_maybe(_ADDRESS, "")),
        **common,
    )


@st.composite
def plants(draw) -> Plant:
    """Return plants whose NICs all have a cable, since most forms know no others."""
    names = draw(st.lists(_NAME, min_size=2, max_size=6, unique=True))
    devices = [draw(_devices(name, number)) for number, name in enumerate(names)]
    cables, nics, used = [], [], set()
    for _ in range(draw(st.integers(0, 6))):
        one, other = draw(st.sampled_from(devices)), draw(st.sampled_from(devices))
        ends = [
            (item.name, draw(_INTERFACE if item.kind == "host" else _PORT)) for item in (one, other)
        ]
        reserved = {"loopback0", "mgmt0"}
        both_hosts = one.kind == other.kind == "host"
        if (
            one == other
            or both_hosts
            or used & set(ends)
            or reserved & {port.lower() for _, port in ends}
        ):
            continue
        used |= set(ends)
        speed = draw(_maybe(st.sampled_from((100, 400, 800)), None))
        cable_m, state = (
            draw(_maybe(st.integers(1, 2000), None)),
            draw(_maybe(st.just(DISABLED), "")),
        )
        cables.append(Cable.between(*ends, speed, cable_m, state=state))
        for item, end in zip((one, other), ends, strict=True):
            if item.kind == "host":
                nics.append(_nic(draw, *end))
    return Plant(draw(_NAME), tuple(devices), tuple(cables), tuple(nics))


def _nic(draw, host: str, interface: str) -> Nic:
    address = draw(_maybe(_ADDRESS, ""))
    return Nic(
        host,
        interface,
        rail=draw(_maybe(st.integers(0, 63), None)),
        nic_port=draw(st.integers(0, 1)),
        rdma_device=draw(st.sampled_from(("", "mlx5_0", "bnxt_re1"))),
        address=f"{address}/24" if address else "",
        mac=draw(_maybe(_MAC, "")),
    )
