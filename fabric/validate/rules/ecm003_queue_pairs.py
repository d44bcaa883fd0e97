"""ECM003: queue pairs are hashed only where a switch is known to do it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms.features import feature
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ECM003")
class QueuePairs(ModelRule):
    """Queue pairs are hashed only where the switch is known to support it."""

    why = (
        "If the hash ignores them, all queue pairs of two NICs with the same source port "
        "share one path, and nothing shows that the setting has no effect."
    )
    source = (
        "ansible-collections/dellemc.enterprise_sonic sonic_ecmp_load_share (roce qpn); pyavd "
        "6.4.0 schema, load_balance.policies (EOS 4.33.1F on R-series)"
    )
    guards = ("ecmp.hash_queue_pairs",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every switch where the inventory asks for it."""
        place = model.place("ecmp", "hash_queue_pairs")
        for name, device in model.devices.items():
            asked = device.hash_queue_pairs
            cell = feature(device.platform, "queue_pair_hash", device.sku, device.role)
            if asked and cell is None:
                yield self.finding(
                    f"{device.sku.name} has no confirmed way to hash queue pairs",
                    "remove it and let the NICs vary the source port",
                    place=place,
                    device=name,
                )
            elif asked and cell and cell.grade == "unconfirmed":
                yield self.finding(
                    f"{device.sku.name} hashes bytes 5 to 7 after the UDP header; "
                    "the offset is not confirmed, and it needs EOS 4.33.1F",
                    "measure the spread in a lab first",
                    severity=Severity.WARNING,
                    place=place,
                    device=name,
                )
