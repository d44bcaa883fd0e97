"""An inventory with its network and designs, each computed when it is asked for."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from fabric.core.steps import stage
from fabric.design.host import HostDesigner
from fabric.design.inputs import HostInputs, SharedInputs, SwitchInputs
from fabric.design.lazy import Lazy
from fabric.design.switch import SwitchDesigner
from fabric.intent.resolve import PolicyResolver
from fabric.intent.site import load_beside, own_name
from fabric.topology.site import Members

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.intent.inventory import Intent
    from fabric.topology.model import Fabric
    from fabric.topology.site import Site


class Designs:
    """The stages of one inventory folder, from intent to design.

    Parameters
    ----------
    folder : str or Path
        Inventory folder; loaded at once, the later stages when they are asked for.
    members : Members, optional
        The fabrics of its site, where they are loaded already.

    Raises
    ------
    InputError
        When the inventory is wrong.
    """

    def __init__(self, folder: str | Path, members: Members | None = None) -> None:
        self._own = own_name(Path(folder))
        self._members = members or Members(load_beside(Path(folder), str(folder)))
        self.intent: Intent = self._members.intents[self._own]

    def over(self, fabric: Fabric) -> Self:
        """Return the stages with another network in place of that of the inventory."""
        return self._copy(resolver=self.resolver, fabric=fabric)

    def of(self, intent: Intent) -> Self:
        """Return the stages of another inventory in place of this one, in the same site."""
        members = Members({**self._members.intents, self._own: intent})
        return self._copy(intent=intent, _members=members)

    def _copy(self, **changes: object) -> Self:
        """Return the stages without what was computed, and with these attributes."""
        other = object.__new__(type(self))
        kept = {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }
        other.__dict__.update(kept, **changes)
        return other

    @cached_property
    @stage("design")
    def fabric(self) -> Fabric:
        """The realised network."""
        return self._members.fabric(self._own)

    @cached_property
    def site(self) -> Site | None:
        """The fabrics that this one stands beside; None where it stands alone."""
        return self._members.site(self._own)

    @cached_property
    def resolver(self) -> PolicyResolver:
        """Policies by device and port."""
        return PolicyResolver(self.intent)

    @cached_property
    def devices(self) -> Lazy[DeviceDesign]:
        """Design of every switch."""
        return Lazy(self.fabric.switch_row, SwitchDesigner(self.fabric, self.resolver).design)

    @cached_property
    def hosts(self) -> Lazy[HostDesign]:
        """Design of every host."""
        designer = HostDesigner(self.fabric, self.resolver, self._elsewhere)
        return Lazy(self.fabric.host_row, designer.design)

    @cached_property
    def switch_inputs(self) -> SwitchInputs:
        """What the design of every switch follows from."""
        return SwitchInputs(self._shared_inputs)

    @cached_property
    def host_inputs(self) -> HostInputs:
        """What the design of every host follows from."""
        return HostInputs(self._shared_inputs, self._elsewhere)

    @cached_property
    def _shared_inputs(self) -> SharedInputs:
        return SharedInputs(self.fabric)

    @property
    def _elsewhere(self) -> Mapping[str, int]:
        return self._members.neighbours_elsewhere(self._own)
