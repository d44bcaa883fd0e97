"""A stand-in without its servers: what it shows, and what it makes of a change.

``shown`` is what its command for the running configuration prints; ``config`` is what is read back
of that for a plan; ``apply`` does with a candidate what the driver does, without a network.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, ClassVar

from fabric.core.errors import RefusedError
from fabric.design.model import DeviceDesign
from fabric.lab.clock import LabClock
from fabric.lab.standin import stand_ins
from fabric.lab.wiring import specs
from fabric.observe import read_running
from fabric.observe.snapshot import Running
from fabric.systems.comware7.lab.config import DEFAULT_MAPS
from fabric.systems.comware7.lab.config import feed_text as feed_comware7
from fabric.systems.comware7.lab.show import display_current
from fabric.systems.comware7.parsers.config import with_read_values
from fabric.systems.comware7.parsers.text import whole_configuration as comware7_tree
from fabric.systems.comware7.platforms.text import dump as comware7_dump
from fabric.systems.cumulus.lab.config import change, commands, complaints
from fabric.systems.cumulus.platforms.lines import split
from fabric.systems.eos.lab.config import diff_lines
from fabric.systems.eos.lab.config import read_text as eos_tree
from fabric.systems.eos.lab.config import shown as eos_blocks
from fabric.systems.eos.parsers import configuration as eos_configuration
from fabric.systems.esonic.parsers import configuration as esonic_configuration
from fabric.systems.junos.lab.store import JunosError
from fabric.systems.junos.parsers.config import configuration as junos_configuration
from fabric.systems.nxos.drivers import batches
from fabric.systems.nxos.lab.config import feed_text as feed_nxos
from fabric.systems.nxos.lab.show import show_configuration
from fabric.systems.nxos.parsers.text import whole_configuration as nxos_configuration
from fabric.systems.sonic.lab.check import ConfigRefusedError
from fabric.systems.sonic.platforms import EARLIER_SYSCTL_PATH, SYSCTL_PATH
from fabric.systems.vrp8.lab.config import feed_text as feed_vrp8
from fabric.systems.vrp8.lab.show import configuration_text as vrp8_text
from fabric.systems.vrp8.parsers.text import whole_configuration as vrp8_configuration
from tests.change.sonic_bench import Bench

TOKEN = "rocefab-run-1-1-aa"


class Box:
    """The stand-in of a switch.

    Parameters
    ----------
    text : str, optional
        What runs on it; default: what is on a switch that is fresh from the box.

    Raises
    ------
    ValueError
        When it refuses a line of the text.
    """

    def __init__(self, design: DeviceDesign, text: Any = None) -> None:
        (spec,) = specs({design.name: design}, {}, "secret")
        if text is not None:
            spec = replace(spec, running=text)
        self.design = design
        self.switch: Any = self._switch(spec)

    def _switch(self, spec: Any) -> Any:
        return stand_ins[self.design.platform](spec, LabClock())

    @property
    def shown(self) -> str:
        """What it shows."""
        raise NotImplementedError

    @property
    def config(self) -> Any:
        """What runs, as it is read back for a plan."""
        raise NotImplementedError

    @property
    def running(self) -> Running:
        """What a plan is made from."""
        return Running.of_text(self.design.name, self.design.platform, self.config, saved=True)

    def preview(self, candidate: Any) -> str:
        """Return the difference to a candidate, where a plan asks for it."""
        raise NotImplementedError

    def apply(self, candidate: Any) -> None:
        """Put a candidate into force."""
        raise NotImplementedError


class NxosBox(Box):
    """Cisco NX-OS."""

    @property
    def shown(self) -> str:
        return show_configuration(self.switch.view, "running-config")

    @property
    def config(self) -> str:
        return nxos_configuration(self.shown)

    def apply(self, candidate: Any) -> None:
        for batch in batches(candidate.lines.splitlines()):
            feed_nxos(self.switch.state.editor(), "\n".join(batch))


class EosBox(Box):
    """Arista EOS."""

    @property
    def shown(self) -> str:
        head = "! Command: show running-config\n! device: leaf (DCS-7060X6-64PE, EOS-4.32.1F)\n!\n"
        return f"{head}{self.switch.running_text}!\nend\n"

    @property
    def config(self) -> str:
        return eos_configuration(self.shown)

    def preview(self, candidate: Any) -> str:
        state = self.switch.state
        now, then = eos_blocks(state.running), eos_blocks(self._tree(candidate.text))
        return "\n".join(diff_lines(now, then))

    def _tree(self, text: str) -> Any:
        return eos_tree(text, self.switch.state.grammar, self.switch.state.ports)

    def apply(self, candidate: Any) -> None:
        self.switch.state._running = self._tree(candidate.text)


class Vrp8Box(Box):
    """Huawei VRP8."""

    @property
    def shown(self) -> str:
        return vrp8_text(self.switch.state.running)

    @property
    def config(self) -> str:
        return vrp8_configuration(self.shown)

    def apply(self, candidate: Any) -> None:
        state = self.switch.state
        feed_vrp8(state.editor(state.running), candidate.lines)


class ComwareBox(Box):
    """H3C Comware 7; what it does not print is read by commands of their own."""

    @property
    def shown(self) -> str:
        return display_current(self.switch.view)

    @property
    def config(self) -> str:
        root = self.switch.running
        maps = {
            name: tuple(self._mapped(name, number) for number in range(len(values)))
            for name, values in DEFAULT_MAPS.items()
        }
        tree = with_read_values(
            comware7_tree(self.shown), maps, lldp=root.has("lldp global enable")
        )
        return comware7_dump(tree)

    def _mapped(self, name: str, number: int) -> int:
        section = self.switch.running.children.get(f"qos map-table {name}")
        said = section.value(f"import {number} export") if section else ""
        return int(said or DEFAULT_MAPS[name][number])

    def apply(self, candidate: Any) -> None:
        feed_comware7(self.switch.editor(), candidate.lines)


class EsonicBox(Box):
    """Enterprise SONiC."""

    @property
    def shown(self) -> str:
        return str(self.switch.running_text)

    @property
    def config(self) -> str:
        return esonic_configuration(self.shown)

    def apply(self, candidate: Any) -> None:
        editor = self.switch.editor()
        for line in candidate.lines.splitlines():
            depth = len(line) - len(line.lstrip(" "))
            while len(editor.stack) - 1 > depth:
                editor.feed("exit")
            assert len(editor.stack) - 1 == depth, line
            editor.feed(line)
        self.switch.take_lines()


class JunosBox(Box):
    """Juniper Junos."""

    @property
    def shown(self) -> str:
        return str(self.switch.running_text)

    @property
    def config(self) -> str:
        return junos_configuration(f"{self.shown.strip()}\n")

    def apply(self, candidate: Any) -> None:
        self.switch.store.load_set(candidate.lines)
        self.switch.store.commit()


class CumulusBox(Box):
    """NVIDIA Cumulus Linux."""

    @property
    def shown(self) -> str:
        return commands(self.switch.applied)

    @property
    def config(self) -> str:
        return self.shown

    def take(self, text: str) -> None:
        """Apply lines of ``nv set`` and ``nv unset``, as a patch does."""
        config = self.switch.applied
        for line in filter(None, text.splitlines()):
            _, verb, *words = split(line)
            config = change(config, verb, words, self.switch.words)
        refused = list(complaints(config, self.switch.words))
        if refused:
            raise ValueError(refused[0])
        self.switch.revisions[self.switch.applied_revision].config = config

    def apply(self, candidate: Any) -> None:
        self.take(f"{candidate.unload}\n{candidate.load}")


class SonicBox(Box):
    """SONiC, whose database its daemons write to as well."""

    release: ClassVar[str] = "202405"

    def _switch(self, spec: Any) -> Any:
        tables = json.loads(spec.running) if isinstance(spec.running, str) else spec.running
        row = tables["DEVICE_METADATA"]["localhost"]
        row.setdefault("mac", "52:54:00:00:00:01")
        row.setdefault("platform", self.design.sku.facts["platform"])
        self.bench = Bench(tables, self.release)
        return self.bench.switch

    @property
    def shown(self) -> str:
        return json.dumps(self.switch.running)

    @property
    def config(self) -> Any:
        return self.switch.running

    @property
    def running(self) -> Running:
        driver = self.bench.driver
        return read_running(driver, [SYSCTL_PATH, EARLIER_SYSCTL_PATH], ["kernel"])

    def apply(self, candidate: Any) -> None:
        driver = self.bench.driver
        driver.stage(candidate, TOKEN)
        driver.commit(candidate, TOKEN, 60)
        driver.confirm(TOKEN)


BOXES: dict[str, type[Box]] = {
    "nxos": NxosBox,
    "eos": EosBox,
    "vrp8": Vrp8Box,
    "comware7": ComwareBox,
    "esonic": EsonicBox,
    "junos": JunosBox,
    "cumulus": CumulusBox,
    "sonic": SonicBox,
}
REFUSALS = (ValueError, RefusedError, ConfigRefusedError, JunosError)
