"""HST006: MAC addresses and serial numbers identify one device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.origins import Place, identities
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST006")
class UniqueHardware(ModelRule):
    """MAC addresses and serial numbers identify one device."""

    why = (
        "rocefab never changes a device whose identity does not match; two devices with the same "
        "identity cannot be distinguished."
    )
    source = "IEEE 802-2014 clause 8"
    guards = ("hosts.nics.mac", "hosts.serial", "devices.mac", "devices.serial")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the identities that overrides name."""
        known: dict[tuple[str, str], tuple[str, Place]] = {}
        for kind, value, owner, place in identities(model.intent):
            first, _ = known.setdefault((kind, value), (owner, place))
            if first != owner:
                yield self.finding(
                    f"{kind} {value} is also that of {first}",
                    "set the value printed on the device",
                    place=place,
                    device=owner,
                )
