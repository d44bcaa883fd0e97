"""Outages by the words of a person: ``switch:spine01``, ``link:leaf01:Ethernet0``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.topology.clos import Outage, clos
from fabric.topology.naming import hint, meant_port, nic_names, port_hint, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Fabric, Ints

#: Kinds of things that fail, with what follows the colon.
KINDS = {
    "link": "SWITCH:PORT",
    "switch": "NAME",
    "cable-bundle": "SWITCH:SWITCH",
    "rack": "UNIT",
    "host": "NAME",
}
_OTHER_KINDS = {
    **dict.fromkeys(("leaf", "spine", "device"), "switch"),
    **dict.fromkeys(("port", "cable", "uplink"), "link"),
    **dict.fromkeys(("node", "server"), "host"),
    **dict.fromkeys(("unit", "su"), "rack"),
}
FORMS = ", ".join((*(f"{kind}:{rest}" for kind, rest in KINDS.items()), "HOST:INTERFACE"))


def outage(fabric: Fabric, words: Sequence[str], forms: str = FORMS) -> Outage:
    """Return what is down when everything that the words name fails together.

    Parameters
    ----------
    words : sequence of str
        ``link:SWITCH:PORT`` is the cable in a port, ``HOST:INTERFACE`` that of a NIC;
        ``cable-bundle:SWITCH:SWITCH`` all cables between two switches; ``rack:UNIT`` a unit with
        its leaves and hosts. Names of switches and hosts alone are enough. A range such as
        ``leaf[01-04]`` may stand for a name.
    forms : str
        Words that messages name: these, and others that the caller takes.

    Raises
    ------
    InputError
        With a finding for each word that names nothing; unknown names of a word are one.
    """
    reader = _Reader(fabric, forms)
    combined = Outage.none(reader.network)
    for word in words:
        combined = combined | reader.read(word)
    if reader.findings:
        message = f"{counted(len(reader.findings), 'error')} in the list of failures"
        raise InputError(message, reader.findings)
    return combined


def outage_of_ports(fabric: Fabric, ports: Collection[tuple[str, str]]) -> Outage:
    """Return the outage of the cables in some ports of switches, each as switch and port."""
    network, switches = clos(fabric), fabric.switches
    names = {name for name, _ in ports}
    numbers = {name: switches.skus[fabric.switch_row[name]].port_numbers() for name in names}
    step = 1 + max((max(of.values()) for of in numbers.values()), default=0)
    ends = [fabric.switch_row[name] * step + numbers[name][port] for name, port in ports]

    def among(rows: Ints, places: Ints) -> Bools:
        return np.isin(rows * step + places, ends) & (places < step)

    down, cables = Outage.none(network), network.cables
    down.cables[:] = among(cables.lower, cables.lower_port)
    down.cables[:] |= among(cables.upper, cables.upper_port)
    down.nics[:] = among(network.nics.leaf, network.nics.leaf_port)
    return down


def _halves(word: str) -> tuple[str, str]:
    """Return device and port of a word that has a space between them."""
    device, _, port = word.partition(" ")
    return device, port


class _Reader:
    def __init__(self, fabric: Fabric, forms: str) -> None:
        self.network: Clos = clos(fabric)
        self.findings: list[Finding] = []
        #: Names of a word that are unknown, by what they should be, and by what they are instead.
        self._strange: dict[tuple[str, str], list[str]] = {}
        self._fabric, self._forms = fabric, forms

    def read(self, word: str) -> Outage:
        """Return what one word takes down; nothing and a finding when it is wrong."""
        kind, _, rest = word.partition(":")
        read = {
            "link": self._link,
            "switch": self._switch,
            "cable-bundle": self._bundle,
            "rack": self._rack,
            "host": self._host,
        }.get(kind)
        failure = Outage.none(self.network)
        names, reader = (rest, read) if read and rest else (word, self._plain)
        for name in self._expanded(names):
            reader(failure, name)
        self._tell_strange()
        return failure

    def _expanded(self, names: str) -> list[str]:
        try:
            return hostlist.expand(names)
        except ValueError as error:
            reason, fix = hostlist.worded(error, "use the form leaf[01-04]")
            self._refuse("INT040", f"{names!r}: {reason}", fix)
            return []

    def _plain(self, failure: Outage, word: str) -> None:
        """Take down what a word without a known kind stands for: a device, or a cable of a NIC."""
        kind, colon, rest = word.partition(":")
        if word in self._fabric.switch_row:
            self._switch(failure, word)
        elif word in self._fabric.host_row:
            self._host(failure, word)
        elif colon and kind in self._fabric.host_row:
            self._nic(failure, kind, rest)
        elif colon or word in KINDS or self._meant(*_halves(word)):
            fix = (
                self._meant(kind, rest)
                or self._meant(*_halves(word))
                or f"use one of {self._forms}"
            )
            self._refuse("INT040", f"{word!r} is not a valid failure", fix)
        else:
            self._strange.setdefault(("device", ""), []).append(word)

    def _meant(self, kind: str, rest: str) -> str:
        """Return the form of a failure whose first word is another one."""
        if kind in self._fabric.host_row:
            return f"did you mean {kind}:{rest}?"
        if kind in self._fabric.switch_row and rest in self._fabric.switch_row:
            return f"did you mean cable-bundle:{kind}:{rest}?"
        if kind in self._fabric.switch_row:
            model = self._fabric.switches.skus[self._fabric.switch_row[kind]]
            if port := meant_port(model, rest):
                return f"did you mean link:{kind}:{port}?"
            return f"use link:{kind}:PORT; {port_hint(model, rest)}"
        instead = _OTHER_KINDS.get(kind)
        return f"did you mean {instead}:{rest}?" if instead and rest else ""

    def _refuse(self, rule: str, message: str, fix: str) -> None:
        self.findings.append(Finding(rule, Severity.ERROR, message, fix))

    def _known(self, kind: str) -> dict[str, int]:
        """Return the rows of all names of a kind; of devices, hosts and switches together."""
        match kind:
            case "host":
                return self._fabric.host_row
            case "switch":
                return self._fabric.switch_row
            case "unit":
                return {unit.name: row for row, unit in enumerate(self._fabric.intent.fabric.units)}
        return {**self._fabric.host_row, **self._fabric.switch_row}

    def _row(self, kind: str, name: str) -> int | None:
        row = self._known(kind).get(name)
        if row is None:
            other = {"host": "switch", "switch": "host"}.get(kind, "")
            instead = other if other and name in self._known(other) else ""
            self._strange.setdefault((kind, instead), []).append(name)
        return row

    def _tell_strange(self) -> None:
        """Refuse the names of a word that are unknown, those that are alike as a range."""
        for (kind, instead), names in self._strange.items():
            if instead:
                message, fix = _of_other_kind(kind, instead, names)
            else:
                message, fix = unknown(kind, names), self._fix_of_unknown(kind, names[0])
            self._refuse("TOP005", message, fix)
        self._strange.clear()

    def _fix_of_unknown(self, kind: str, name: str) -> str:
        # `rocefab show topology` has units too, and more devices than any other list.
        listed = "switch" if kind in {"unit", "device"} else kind
        fix = hint(listed, name, self._known(kind))
        other_form = kind == "device" and not fix.endswith("?")
        return f"{fix}; or use one of {self._forms}" if other_form else fix

    def _switch(self, failure: Outage, name: str) -> None:
        if (row := self._row("switch", name)) is not None:
            failure.switches[row] = True

    def _host(self, failure: Outage, name: str) -> None:
        if (row := self._row("host", name)) is not None:
            failure.hosts[row] = True

    def _rack(self, failure: Outage, name: str) -> None:
        row = self._row("unit", name)
        if row is not None:
            failure.switches[:] |= self.network.unit == row
            failure.hosts[:] |= self.network.host_unit == row

    def _nic(self, failure: Outage, host: str, interface: str) -> None:
        """Take down the cable of a NIC."""
        names = [nic.interface for nic in nic_names(self._fabric, host)]
        if interface not in names:
            fix = f"its NICs are {', '.join(names)}"
            self._refuse("TOP005", f"{host} has no NIC {interface[:40]!a}", fix)
            return
        first = self._fabric.host_row[host] * self._fabric.nics_per_host
        failure.nics[first + names.index(interface)] = True

    def _link(self, failure: Outage, rest: str) -> None:
        name, _, port = rest.partition(":")
        if name in self._fabric.host_row:
            self._nic(failure, name, port)
            return
        row = self._row("switch", name)
        if row is None:
            return
        model = self._fabric.switches.skus[row]
        numbers = model.port_numbers()
        if port not in numbers:
            self._refuse("TOP005", f"there is no port {port!r}", port_hint(model, port))
            return
        cables, nics, number = self.network.cables, self.network.nics, numbers[port]
        in_port = (cables.lower == row) & (cables.lower_port == number)
        in_port |= (cables.upper == row) & (cables.upper_port == number)
        of_nic = (nics.leaf == row) & (nics.leaf_port == number)
        failure.cables[:] |= in_port
        failure.nics[:] |= of_nic
        if not in_port.any() and not of_nic.any():
            self._refuse(
                "TOP005",
                f"no cable is connected to {name} {port}",
                "`rocefab show links` lists them",
            )

    def _bundle(self, failure: Outage, rest: str) -> None:
        names = rest.split(":")
        if len(names) != 2:  # noqa: PLR2004 - two ends
            self._refuse("INT040", f"{rest!r} does not name two switches", "use cable-bundle:A:B")
            return
        rows = [self._row("switch", name) for name in names]
        if None in rows:
            return
        cables = self.network.cables
        ends = np.stack([cables.lower, cables.upper], axis=1)
        between = (np.sort(ends, axis=1) == np.sort(np.array(rows))).all(axis=1)
        failure.cables[:] |= between
        if not between.any():
            self._refuse(
                "TOP005",
                f"there is no cable between {names[0]} and {names[1]}",
                "`rocefab show links` lists them",
            )


def _of_other_kind(kind: str, instead: str, names: Sequence[str]) -> tuple[str, str]:
    """Return that names are of switches and not of hosts, or the other way, and what to do."""
    shown = hostlist.in_short(names)
    if len(names) == 1:
        message = f"{shown!r} is a {instead}, not a {kind}"
        return message, f"--fail {instead}:{shown} takes it down"
    message = f"{shown!r} are {noun(2, instead)}, not {noun(2, kind)}"
    return message, f"--fail {instead}:{shown} takes them down"
