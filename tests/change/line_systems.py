"""What is tried of every system whose configuration is lines below lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fabric.change.adapter import adapters
from fabric.change.model import Risk
from fabric.design.model import DeviceDesign
from fabric.render import render_device
from tests.render.designs import variant

#: Changes of the example `demo` that differ in every kind of line.
_CHANGES = {
    "demo": {},
    "ECN and shares": {
        "kmax_bytes: 1500000": "kmax_bytes: 1600000",
        "  cnp_dscp: 48\n": "  cnp_dscp: 46\n  scheduler: "
        "{lossless_percent: 90, default_percent: 10}\n",
    },
    "other class": {"  pfc_priority: 3\n": "  pfc_priority: 4\n  queue: 4\n  traffic_class: 4\n"},
    "no PFC, BFD": {
        "  cnp_dscp: 48\n": "  cnp_dscp: 48\n  pfc: false\n",
        "bgp: {": "bgp: {bfd: true, ",
    },
    "ASN, VLAN, addresses": {
        "leaf_asn_first: 65101": "leaf_asn_first: 65301",
        "vlan_first: 101": "vlan_first: 201",
        "uplinks: 10.254.0.0/21": "uplinks: 10.253.0.0/21",
        "hosts: 10.64.0.0/16": "hosts: 10.65.0.0/16",
    },
}
_PORTS = "devices:\n  - names: su1-rail0\n    ports:\n"


class Switch:
    """The configuration of the lab's switch alone, which is strict.

    A system says what its ``text`` is, and how lines are sent.
    """

    platform: str
    text: str
    send: Callable[[list[str]], None]

    @property
    def adapter(self) -> Any:
        return adapters[self.platform]

    def read(self) -> Any:
        """Return what runs as the adapter reads it."""
        return self.adapter.read(self.text)

    def _target(self, intended: str) -> Any:
        return self.adapter.compose(self.read(), self.adapter.read(intended))

    def become(self, intended: str) -> None:
        self.send(self.adapter.patch(self.read(), self._target(intended)))

    def left(self, intended: str) -> list[Any]:
        """Return what still differs."""
        return list(self.adapter.steps(self.read(), self._target(intended)))


@dataclass(frozen=True)
class Draft:
    """A running configuration with a secret, what is rendered, and the difference shown."""

    running: str
    intended: str
    diff: str


@dataclass(frozen=True, kw_only=True)
class LineSystem:
    """One system.

    Parameters
    ----------
    kept, ours : dict
        Lines that stay whatever the design says, and lines that go when the design drops them.
    intended : str
        A small configuration.
    head, foot : str
        Lines that run beside the kept ones, and beside ours.
    stays : set
        Paths in ``ours`` that stay: they are wanted or cannot be removed.
    removed : callable
        From lines to those that negate something that is not negated by default.
    same : tuple of str
        A configuration, and how a switch prints it.
    base : dict
        Changes of the example `demo` for switches of the system.
    port_states : dict
        Settings of ports, as in an inventory, by the name of a state.
    more_changes : dict
        Further changes of `demo`.
    examples : dict
        Further designs.
    switch : callable
        Returns a switch fresh from the box.
    route : str
        A line of somebody else on it.
    edits : tuple of str
        Lines of a port that a person may type on ``ports``; those of ``special_ports`` have lines
        that one of them may take along.
    """

    name: str
    kept: dict[str, str]
    ours: dict[str, str]
    intended: str
    head: str
    foot: str
    stays: frozenset[tuple[str, ...]]
    removed: Callable[[list[str]], list[str]]
    same: tuple[str, str]
    risks: dict[str, Risk]
    negations: dict[str, str]
    secrets: tuple[str, ...]
    draft: Draft
    base: dict[str, str]
    port_states: dict[str, str]
    more_changes: dict[str, dict[str, str]] = field(default_factory=dict)
    examples: dict[str, Callable[[], DeviceDesign]] = field(default_factory=dict)
    switch: Callable[[], Switch]
    route: str
    ports: tuple[str, ...]
    special_ports: frozenset[str] = frozenset()
    edits: tuple[str, ...]

    @property
    def adapter(self) -> Any:
        return adapters[self.name.split()[0]]

    @property
    def state_names(self) -> tuple[str, ...]:
        changes = {**_CHANGES, **self.more_changes}
        return (*changes, "other leaf", "spine", *self.port_states, *self.examples)

    @cached_property
    def states(self) -> dict[str, str]:
        """Intended configurations of one switch that differ in every kind of line."""
        with TemporaryDirectory() as name:
            folder = Path(name)
            changes = {**_CHANGES, **self.more_changes}
            made = {
                state: self.demo(folder / str(number), more)
                for number, (state, more) in enumerate(changes.items())
            }
            made["other leaf"] = self.demo(folder / "other", {}, switch="su2-rail1")
            made["spine"] = self.demo(folder / "spine", {}, switch="spine01")
            for state, ports in self.port_states.items():
                made[state] = self.demo(folder / state, {}, f"{_PORTS}{ports}")
        made |= {state: _text(example()) for state, example in self.examples.items()}
        return made

    def demo(
        self, folder: Path, changes: dict[str, str], devices: str = "", switch: str = "su1-rail0"
    ) -> str:
        """Return a switch of the demo with changes."""
        return _text(variant(folder, "demo", {**self.base, **changes}, devices)[switch])


def _text(design: DeviceDesign) -> str:
    return render_device(design)[0].text
