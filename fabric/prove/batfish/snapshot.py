"""The snapshot of a fabric: the files that Batfish is given, and whose they are."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabric.prove.batfish.designed import designed
from fabric.prove.batfish.forms import snapshot_writers
from fabric.prove.batfish.translate import sonic_files
from fabric.prove.wiring import Wiring
from fabric.topology.tenants import vrf_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.design.host_model import HostDesign, NicDesign
    from fabric.design.model import DeviceDesign
    from fabric.observe.configuration import Configured
    from fabric.prove.batfish.forms import Form
    from fabric.topology.model import Fabric

    #: Text by switch and kind of file.
    Texts = Mapping[str, Mapping[str, str]]

#: The only folder at the top of the archive, as the service wants it.
_TOP = "snapshot"


class NicNode(NamedTuple):
    """A NIC as Batfish has it: a host with one interface.

    Parameters
    ----------
    row : int
        Its row in the fabric.
    tenant, vrf : str
        Its tenant, and the VRF of the port that it is on; empty without a tenant.
    """

    row: int
    host: str
    nic: NicDesign
    tenant: str = ""
    vrf: str = ""

    @property
    def name(self) -> str:
        """Host and interface."""
        return f"{self.host} {self.nic.interface}"


@dataclass(frozen=True, eq=False)
class Subject:
    """A fabric with the files of its switches, as it is proved.

    Parameters
    ----------
    files : mapping of str to Configured
        What the file of each switch says; one that no reader knows is left out.
    texts : mapping of str to (mapping of str to str)
        Text of the files of each switch, by kind.
    """

    fabric: Fabric
    devices: Mapping[str, DeviceDesign]
    hosts: Mapping[str, HostDesign]
    files: Mapping[str, Configured]
    texts: Texts

    @cached_property
    def designs(self) -> dict[str, Configured]:
        """What every file would say if it said what was designed."""
        return {name: designed(design) for name, design in self.devices.items()}

    @cached_property
    def wiring(self) -> Wiring:
        """Cables that the inventory does not switch off."""
        return Wiring.of(self.fabric)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Files for Batfish.

    Parameters
    ----------
    files : dict of str to bytes
        By path below the snapshot.
    forms : dict of str to Form
        Of each switch whose own text is in it.
    translated : tuple of str
        Switches whose text was read by a reader of rocefab, and is in it as another system's.
    one_grammar : bool
        Whether no switch has its own text, since Batfish lacks sessions over ports there.
    stand_ins : tuple of str
        Switches whose text was not read; what was designed is in their place.
    nics : dict of str to NicNode
        By name of the node.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    forms: dict[str, Form] = field(default_factory=dict)
    translated: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    nics: dict[str, NicNode] = field(default_factory=dict)
    switches: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    edges: frozenset[tuple[tuple[str, str], tuple[str, str]]] = frozenset()
    one_grammar: bool = False

    def archive(self) -> bytes:
        """Return the files as a zip; equal files give equal bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(self.files):
                archive.writestr(zipfile.ZipInfo(f"{_TOP}/{path}"), self.files[path])
        return buffer.getvalue()


def snapshot(subject: Subject) -> Snapshot:
    """Return the snapshot of a fabric.

    Every NIC is a host: a host of Batfish has one routing table and one gateway.
    """
    result: dict[str, bytes] = {}
    forms: dict[str, Form] = {}
    origins: dict[str, str] = {}
    one_grammar = needs_one_grammar(subject.devices)
    translated: list[str] = []
    stand_ins: list[str] = []
    for name, design in subject.devices.items():
        read = subject.files.get(name)
        form = None if one_grammar else _form(design.platform)
        if form and (read or not form.needs_reader):
            written = dict(form.write(name, subject.texts[name], read or subject.designs[name]))
            forms[name] = form
        else:
            (translated if read else stand_ins).append(name)
            source = sonic_files(read or subject.designs[name])
            written = {f"sonic_configs/{name}/{file}": data for file, data in source.items()}
        result |= written
        origins |= dict.fromkeys(written, name)
    nics = dict(_nics(subject))
    result |= {f"hosts/{node}.json": _host(node, nic.nic) for node, nic in nics.items()}
    edges = list(_edges(subject, nics))
    result["batfish/layer1_topology.json"] = _layer1(edges)
    return Snapshot(
        result,
        forms,
        tuple(translated),
        tuple(stand_ins),
        nics,
        {name.lower(): name for name in subject.devices},
        origins,
        frozenset(edges),
        one_grammar,
    )


def needs_one_grammar(devices: Mapping[str, DeviceDesign]) -> bool:
    """Return whether sessions over ports join systems, or one whose form in Batfish has none.

    Batfish 0.36 has no neighbours there, so that all files are given in the form of SONiC.
    """
    ports = [design.platform for design in devices.values() if design.unnumbered_ports]
    systems = {design.platform for design in devices.values()}
    forms = [form for form in map(_form, set(ports)) if form]
    return bool(ports) and (len(systems) > 1 or not all(form.reads_ports for form in forms))


def _form(platform: str) -> Form | None:
    """Return how Batfish reads a system; None where it does not."""
    return dict(snapshot_writers.items()).get(platform)


def _nics(subject: Subject) -> Iterator[tuple[str, NicNode]]:
    """Yield the NICs with a cable, by the names of their nodes, which are in lower case."""
    switches = {name.lower() for name in subject.devices}
    tenants = subject.fabric.tenants
    vrfs = {item.value.name: vrf_name(item.value) for item in tenants.items} if tenants else {}
    for host in subject.hosts.values():
        for nic in host.nics:
            row = subject.wiring.nics.get((nic.leaf, nic.leaf_port))
            if row is not None:
                node = f"{host.name}-{nic.interface}".lower()
                tenant = tenants.name_of(row) if tenants else ""
                entry = NicNode(row, host.name, nic, tenant, vrfs.get(tenant, ""))
                yield (f"nic-{node}" if node in switches else node), entry


def _host(node: str, nic: NicDesign) -> bytes:
    interface = {
        "name": nic.interface,
        "prefix": f"{nic.address}/{nic.prefix_length}",
        "gateway": nic.gateway,
    }
    host = {"hostname": node, "hostInterfaces": {nic.interface: interface}}
    return json.dumps(host).encode()


def _edges(
    subject: Subject, nics: Mapping[str, NicNode]
) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Yield every cable once; nodes are in lower case, as Batfish has them."""
    for (switch, port), (peer, peer_port) in subject.wiring.far.items():
        if (switch, port) < (peer, peer_port):
            yield (switch.lower(), port), (peer.lower(), peer_port)
    for node, nic in nics.items():
        yield (nic.nic.leaf.lower(), nic.nic.leaf_port), (node, nic.nic.interface)


def _layer1(edges: list[tuple[tuple[str, str], tuple[str, str]]]) -> bytes:
    ends = [
        {
            f"node{number}": {"hostname": end[0], "interfaceName": end[1]}
            for number, end in enumerate(edge, 1)
        }
        for edge in edges
    ]
    return json.dumps({"edges": ends}).encode()
