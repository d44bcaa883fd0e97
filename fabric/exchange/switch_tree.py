"""A tree of switches with hosts below the lowest, as schedulers are told of a network.

The lowest switches are units, those above them pods where there is another level above. Such a
tree has no cables, rails or models; and one of its switches may be a layer of several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import quoted
from fabric.exchange.forms import Imported
from fabric.exchange.trees import circle
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from fabric.exchange.draft import Draft, Place
    from fabric.exchange.forms import Settings

#: Four times the hosts of the largest fabrics.
MAX_HOSTS = 65_536
#: More than any tree has: with two switches below each, as many leaves as there may be hosts.
MAX_LEVELS = 16
#: Levels of switches with pods: leaves, spines, and super-spines above.
_POD_LEVELS = 3
_FORM = "use the form n[001-008]"
_DEFAULT = "no NIC count in the source; a rocefab default"
_LAYER = "the source has one switch for the layer"


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch, where the source names it, the hosts on it and the switches below it."""

    name: str
    place: Place
    hosts: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


class SwitchTree:
    """Switches that are read one by one."""

    def __init__(self, draft: Draft, settings: Settings) -> None:
        self._draft = draft
        self._settings = settings
        self._switches: dict[str, Switch] = {}
        self._parents: dict[str, str] = {}
        self._switch_of: dict[str, str] = {}
        self._names = 0

    def names(self, text: object, place: Place) -> tuple[str, ...]:
        """Return the names of a range text; what is none is an error."""
        try:
            self._names += hostlist.count(str(text))
            if self._names > MAX_HOSTS:
                message = f"there are more than {MAX_HOSTS:,} names"
                self._draft.wrong("EXC007", message, "import one fabric at a time", place)
                raise input_error(self._draft.findings, self._draft.file)
            return tuple(hostlist.expand(str(text)))
        except ValueError as error:
            reason, fix = hostlist.worded(error, _FORM)
            self._draft.wrong("EXC006", reason[:200], fix, place)
            return ()

    def add(self, switch: Switch) -> None:
        """Take a switch in; a name, a host or a child that is told twice is an error."""
        old = self._switches.setdefault(switch.name, switch)
        if old is not switch:
            message = f"{quoted(switch.name)} is already defined at {old.place.position}"
            self._draft.wrong("EXC005", message, "remove one of them", switch.place)
        owners = ((self._switch_of, "host", switch.hosts), (self._parents, "switch", switch.below))
        for above, word, names in owners:
            for name in names:
                if name in above:
                    message = f"{word} {quoted(name)} is already below {quoted(above[name])}"
                    self._draft.wrong("EXC005", message, "remove one of them", switch.place)
                above.setdefault(name, switch.name)

    def imported(self, *, joined: bool = False) -> Imported:
        """Return the fabric of the tree.

        Parameters
        ----------
        joined : bool
            Whether switches without one above them are connected all the same.

        Raises
        ------
        InputError
            With all that is wrong with it.
        """
        chains = self._chains()
        levels = len(chains[0]) + (joined and len(chains) > 1)
        self._devices(chains, levels, "{}-leaf" if joined else "{}")
        remarks: dict[tuple[str | int, ...], str] = {}
        if self._settings.rails is None:
            remarks["rails",] = _DEFAULT
        layers = ("spines", "super_spines")[: min(levels, _POD_LEVELS) - 1]
        remarks |= {(layer, "count"): _LAYER for layer in layers}
        notes = self._notes(chains)
        return Imported(self._draft.plant(), notes, generated=True, remarks=remarks)

    def _chains(self) -> list[list[str]]:
        """Return each switch with hosts, followed by those above it, pod by pod."""
        for switch in self._switches.values():
            for name in switch.below:
                if name not in self._switches:
                    message = f"the switch {quoted(name)} is not defined"
                    self._draft.wrong("EXC004", message, "add it, or remove the name", switch.place)
        round_trip = circle({name: [above] for name, above in self._parents.items()})
        if round_trip:
            message = f"switches are below each other: {' below '.join(round_trip)}"
            place = self._switches[round_trip[0]].place
            self._draft.wrong("EXC010", message, "remove one of them", place)
        if not self._draft.findings and not any(it.hosts for it in self._switches.values()):
            message = "no switch has hosts"
            self._draft.wrong("EXC006", message, "provide the whole file", self._draft.place())
        self._stop_at_errors()
        by_pod: dict[str, list[list[str]]] = {}
        for switch in self._switches.values():
            chain = [switch.name] if switch.hosts else []
            while chain and chain[-1] in self._parents and len(chain) <= MAX_LEVELS:
                chain.append(self._parents[chain[-1]])
            if len(chain) > MAX_LEVELS:
                message = f"{quoted(switch.name)} has more than {MAX_LEVELS} levels of switches"
                self._draft.wrong("EXC007", message, "remove levels", switch.place)
            elif chain:
                by_pod.setdefault(chain[min(1, len(chain) - 1)], []).append(chain)
        self._stop_at_errors()
        chains = [chain for group in by_pod.values() for chain in group]
        self._check_levels(chains)
        return chains

    def _check_levels(self, chains: list[list[str]]) -> None:
        first = chains[0]
        for name, levels in {chain[0]: len(chain) for chain in chains}.items():
            if levels != len(first):
                message = (
                    f"{quoted(name)} has {counted(levels - 1, 'level')} of switches above it, but "
                    f"{quoted(first[0])} has {len(first) - 1}"
                )
                place = self._switches[name].place
                self._draft.wrong("EXC006", message, "add the switches between", place)
        others = dict.fromkeys(chain[-1] for chain in chains if chain[-1] != first[-1])
        for name in others if len(first) > 1 else ():
            message = f"no switch connects {quoted(name)} and {quoted(first[-1])}"
            fix = "add the switch above them, or import one fabric at a time"
            self._draft.wrong("EXC006", message, fix, self._switches[name].place)
        self._stop_at_errors()

    def _stop_at_errors(self) -> None:
        if self._draft.findings:
            raise input_error(self._draft.findings, self._draft.file)

    def _devices(self, chains: list[list[str]], levels: int, leaf: str) -> None:
        """Take the devices in: leaves and hosts of each unit, and what is above them."""
        rails = self._settings.rails or 1
        units = self._units(chains)
        pods: dict[str, Place] = {}
        for chain in chains:
            switch = self._switches[chain[0]]
            unit = units[switch.name]
            pod = self._name(chain[1]) if len(chain) >= _POD_LEVELS else ""
            pods.setdefault(pod, self._switches[chain[min(1, len(chain) - 1)]].place)
            where = {"unit": unit, "pod": pod}
            by_rail = rails > 1 or levels == 1
            for rail in range(rails) if by_rail else (None,):
                name = f"{unit}-rail{rail}" if rail is not None else switch.name
                if rail is None and leaf != "{}":
                    name = leaf.format(self._name(switch.name))
                self._draft.device(name, switch.place, {"role": "leaf", "rail": rail, **where})
            for host in switch.hosts:
                self._draft.device(host, switch.place, {"kind": "host", **where})
        for pod, place in pods.items() if levels > 1 else ():
            name = f"{pod}-spine01" if pod else "spine01"
            self._draft.device(name, place, {"role": "spine", "pod": pod})
        if levels >= _POD_LEVELS:
            place = self._switches[chains[0][-1]].place
            self._draft.device("core01", place, {"role": "super-spine"})

    def _name(self, switch: str) -> str:
        return str(self._draft.name(switch, self._switches[switch].place))

    def _units(self, chains: list[list[str]]) -> dict[str, str]:
        """Return units by switch: without the word that our own export adds, if that is unique."""
        names = [chain[0] for chain in chains]
        whole = [self._name(name) for name in names]
        short = [name.removesuffix("-leaves").removesuffix("-leaf") for name in whole]
        alone = len(set(short)) == len(short)
        return dict(zip(names, short if alone else whole, strict=True))

    def _notes(self, chains: list[list[str]]) -> tuple[Finding, ...]:
        """Return warnings about switches that no inventory has."""
        between = dict.fromkeys(name for chain in chains for name in chain[2:-1])
        used = {name for chain in chains for name in chain}
        ignored = {
            f"switches between the pods and {chains[0][-1]}": list(between),
            "switches without hosts": [name for name in self._switches if name not in used],
        }
        fix = "an inventory has leaves, spines and super-spines; see docs/exchange.md"
        place = Position(self._draft.file)
        return tuple(
            Finding("EXC012", Severity.WARNING, message[:300], fix, position=place)
            for word, names in ignored.items()
            if names and (message := f"{word} are ignored: {hostlist.fold(names)}")
        )
