"""check --nic-profile: what others wrote on NICs, against the leaf ports of an inventory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fabric.audit.leaf_side import LeafSide, planned_side
from fabric.audit.pair_rules import PAIR_RULES
from fabric.audit.pairs import Mismatch, mismatches, raw_beside, with_release
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.user_files import read_text
from fabric.design.qos import qos_profile
from fabric.observe.nicprofiles import form_of, profile_forms, read_profile, refused
from fabric.observe.nicprofiles.operator import RELEASES, release_of
from fabric.observe.saved.model import kind_of
from fabric.placement.k8s.cluster import DEVICE_IDS
from fabric.topology.naming import nic_names
from fabric.validate.ends import kinds_of_nics
from fabric.validate.origins import nic_place
from fabric.validate.places import Places
from fabric.validate.runner import Outcome, gathered
from fabric.validate.waivers import Decisions
from fabric.workflow.saved import files_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabric.observe.nicprofiles.record import NicProfile
    from fabric.topology.model import Bools, Ints
    from fabric.workflow.project import Project

#: Ways of balancing that send packets of a flow over several paths.
_SPRAYS = {"per-packet"}
_LOSSLESS_LAYER = "roce"


@dataclass(frozen=True)
class Profiles:
    """What files say of NICs, and the release of the operator that they name."""

    profiles: tuple[NicProfile, ...]
    release: str


def read_profiles(files: Iterable[Path], usual: str = "") -> Profiles:
    """Read NIC profiles of any form.

    Parameters
    ----------
    usual : str
        Version of the operator where no file names one; an unknown one counts as none.

    Raises
    ------
    InputError
        With all that is wrong with all files, or when they name two releases of the operator.
    """
    profiles: list[NicProfile] = []
    findings: list[Finding] = []
    for file in chain.from_iterable(map(_inside, files)):
        try:
            profiles += read_profile(file, read_text(file, FileKind.NIC_PROFILE))
        except InputError as error:
            findings += error.findings
    if findings:
        raise InputError("no NIC profile was judged", findings)
    named = {one.release.value: one for one in profiles if one.release}
    if len(named) > 1:
        last = [*named.values()][-1]
        message = f"the files name releases {', '.join(named)} of the Network Operator"
        fix = "judge one release at a time"
        raise refused(last.file, last.line, message, fix, last.subject)
    usual = release_of(usual)
    release = next(iter(named), usual if usual in RELEASES else "")
    known = [one for one in profiles if not one.release]
    if release:
        known = [with_release(profile, release) for profile in known]
    return Profiles(tuple(known), release)


def _inside(path: Path) -> list[Path]:
    """Return a file, or the profiles in a folder; other outputs of hosts there say nothing."""
    if not path.is_dir():
        return [path]
    files = [*files_of(path), *sorted(path.rglob("*.sh"))]
    texts = {file: read_text(file, FileKind.NIC_PROFILE) for file in files}
    return [file for file, text in texts.items() if form_of(text) or not kind_of(text, file)]


def place_of(profile: NicProfile) -> tuple[str, str]:
    """Return the host and the NIC that a file is about by its place: ``gpu001/mlnx_qos-eth1.txt``.

    The folder names the host; what stands behind the first hyphen of the name is the NIC, where the
    text does not name it.
    """
    file = Path(profile.file).resolve()
    suffix = "" if profile_forms[profile.form].names_nic else file.stem.partition("-")[2]
    return file.parent.name, profile.nic or suffix


def pair_finding(
    profile: NicProfile, mismatch: Mismatch, device: str = "", port: str = "", more: str = ""
) -> Finding:
    """Return a finding about a NIC and its leaf port."""
    rule = PAIR_RULES[mismatch.rule]
    severity = Severity.WARNING if mismatch.is_mild else rule.severity
    position = Position(profile.file, mismatch.line)
    message = f"{mismatch.message}{more}"
    return Finding(
        mismatch.rule, severity, message, rule.fix, profile.subject, position, device, port
    )


def outcome_of(findings: Sequence[Finding], ignore: Sequence[str]) -> Outcome:
    """Return the outcome of all rules about pairs."""
    return Outcome(tuple(gathered([*findings])), tuple(PAIR_RULES), (), ()).without(ignore)


def check_profiles(project: Project, files: Sequence[Path], ignore: Sequence[str] = ()) -> Outcome:
    """Judge NIC profiles against the leaf ports that an inventory plans.

    Raises
    ------
    InputError
        When a file is of no known form, or cannot be read.
    """
    read = read_profiles(files, project.intent.fabric.kubernetes.operator_version or "")
    pairs = _Planned(project)
    findings = []
    strange: dict[tuple[str, int], Finding | None] = {}
    for profile in read.profiles:
        findings += [pair_finding(profile, one) for one in raw_beside(profile, read.release)]
        place, rows = (profile.file, profile.line), pairs.rows(profile)
        findings += pairs.judged(profile, rows)
        missing = None if len(rows) else pairs.missing(profile)
        strange[place] = missing and strange.get(place, missing)
    findings += [finding for finding in strange.values() if finding]
    return outcome_of(findings, ignore).decided(Decisions.of(project.intent))


def without_idle_waivers(outcome: Outcome, pairs: Outcome) -> Outcome:
    """Return an outcome without what it says of waivers that cover findings about pairs alone."""
    used = {f"the waiver of {item.finding.rule} " for item in pairs.waived}
    others = [
        finding
        for finding in outcome.findings
        if finding.rule != "WVR002" or not finding.message.startswith((*used,))
    ]
    return replace(outcome, findings=tuple(others))


class _Planned:
    """The NICs of an inventory with their leaf ports, by kinds of cables."""

    def __init__(self, project: Project) -> None:
        self._intent, self._fabric, self._resolver = (
            project.intent,
            project.fabric,
            project.resolver,
        )
        self._kinds = kinds_of_nics(self._fabric, self._resolver)
        self._sides: dict[int, LeafSide] = {}
        self._places = Places(self._intent, self._fabric, self._resolver)

    def judged(self, profile: NicProfile, rows: Ints) -> Iterator[Finding]:
        """Yield what a profile has unlike the leaf ports of its NICs, each thing once."""
        kinds, first, counts = np.unique(self._kinds[rows], return_index=True, return_counts=True)
        places: dict[Mismatch, list[tuple[int, int]]] = defaultdict(list)
        for kind, index, count in zip(kinds.tolist(), first.tolist(), counts.tolist(), strict=True):
            row = int(rows[index])
            for mismatch in mismatches(profile, self._side(kind, row)):
                places[mismatch].append((row, count))
        for mismatch, kinds_of in places.items():
            row, count = min(kinds_of)[0], sum(count for _, count in kinds_of)
            yield pair_finding(profile, mismatch, *self._words(row, count))

    def missing(self, profile: NicProfile) -> Finding:
        """Return that the inventory has none of the NICs of a profile."""
        host, nic = place_of(profile)
        names = (profile.device_id, ", ".join(sorted(profile.pci_addresses)), nic)
        words = next((name for name in names if name), host)
        message = f"the inventory has no NIC {words} that these settings are for"
        return pair_finding(profile, Mismatch("NIC016", profile.line, message))

    def _words(self, row: int, count: int) -> tuple[str, str, str]:
        """Return leaf, its port, and the NIC with how many more there are of its kind."""
        nics, fabric = self._fabric.nics, self._fabric
        leaf, host = int(nics.leaf[row]), fabric.hosts.names[int(nics.host[row])]
        names = nic_names(fabric, host)[row % fabric.nics_per_host]
        more = f" and {count - 1:,} more" if count > 1 else ""
        port = fabric.port_name(leaf, int(nics.port[row]))
        return fabric.switches.names[leaf], port, f"; NIC {host} {names.interface}{more}"

    def rows(self, profile: NicProfile) -> Ints:
        """Return the rows of the NICs that a profile is for."""
        fabric, nics = self._fabric, self._fabric.nics
        host, nic = place_of(profile)
        row = fabric.host_row.get(host)
        if row is None:
            every, nic = np.arange(len(nics)), profile.nic
        else:
            every = np.array(fabric.nics_of_host(row))
        fits: Bools = nics.enabled[every].copy()
        if profile.port:
            fits &= self._ports(every) == profile.port
        if nic or profile.pci_addresses or profile.device_id:
            fits &= self._named(every, profile, nic)
        rows: Ints = every[fits]
        return rows

    def _ports(self, rows: Ints) -> Ints:
        """Return the port of its card that each NIC is, from 1."""
        nics = self._fabric.nics
        if self._fabric.nic_ports > 1:
            return nics.nic_port[rows] + 1
        cards = [
            self._intent.host_traits(name).nic.ports_per_card for name in self._fabric.hosts.names
        ]
        shared = np.array(cards)[nics.host[rows]] > 1
        ports: Ints = np.where(shared, nics.rail[rows] % 2, 0) + 1
        return ports

    def _named(self, rows: Ints, profile: NicProfile, nic: str) -> Bools:
        """Tell which NICs have the name, address and device of a profile, as far as is known."""
        fabric, by_host = self._fabric, defaultdict[int, list[int]](list)
        fits = np.zeros(len(rows), dtype=bool)
        for place, row in enumerate(rows.tolist()):
            by_host[row // fabric.nics_per_host].append(place)
        for host, places in by_host.items():
            name = fabric.hosts.names[host]
            traits, names = self._intent.host_traits(name).nic, nic_names(fabric, name)
            model = DEVICE_IDS.get(traits.model.lower(), "")
            if profile.device_id and model and model != profile.device_id:
                continue
            for place in places:
                number = int(rows[place]) % fabric.nics_per_host
                own = names[number]
                address = traits.pci_addresses[number : number + 1]
                is_elsewhere = profile.pci_addresses and not profile.pci_addresses & {*address}
                is_named = not nic or nic in (own.interface, own.rdma_device)
                fits[place] = is_named and not (address and is_elsewhere)
        return fits

    def _side(self, kind: int, row: int) -> LeafSide:
        """Return the leaf port of a kind of NICs."""
        if kind not in self._sides:
            self._sides[kind] = self._planned(row)
        return self._sides[kind]

    def _planned(self, row: int) -> LeafSide:
        fabric, nics = self._fabric, self._fabric.nics
        leaf = int(nics.leaf[row])
        device, port = fabric.switches.names[leaf], fabric.port_name(leaf, int(nics.port[row]))
        host = fabric.hosts.names[int(nics.host[row])]
        traits = self._intent.host_traits(host).nic
        if traits.link_layer != _LOSSLESS_LAYER:
            return LeafSide()
        policy = self._resolver.switch(device, fabric.switches.role(leaf), port)
        return planned_side(
            qos_profile(policy, 0),
            self._lines(row, device, port),
            sprays=self._intent.fabric.ecmp.mode in _SPRAYS,
            dcqcn=traits.dcqcn_set is not None,
            cable_m=int(nics.cable_m[row]),
            speed_gbps=int(nics.speed_gbps[row]),
            host_mtu_bytes=self._resolver.host(host).mtu.host_bytes,
        )

    def _lines(self, row: int, device: str, port: str) -> Mapping[str, str]:
        """Return where the inventory says what a leaf port does."""
        fields = {
            "": "pfc_priority",
            "pfc": "pfc_priority",
            "dscp": "roce_dscp",
            "cnp": "cnp_dscp",
            "ecn": "ecn",
            "mtu": "mtu",
        }
        places = {
            name: self._places.policy_place(field, device, port) for name, field in fields.items()
        }
        cable = nic_place(self._fabric, row, "cable_m") or self._places.place("cables", "host_m")
        places |= {"cable": cable, "ecmp": self._places.place("ecmp", "mode")}
        return {name: str(place.position) for name, place in places.items() if place.position}
