"""QOS018: switches at both ends of a cable have the same MTU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS018")
class MtuEnds(ModelRule):
    """Switches at both ends of a cable have the same MTU."""

    why = "The smaller end drops what the larger one sends."
    source = "sonic-net/sonic-buildimage src/sonic-yang-models sonic-port.yang (mtu of PORT)"
    guards = ("lossless.mtu.port_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the ports at both ends of every uplink."""
        for wrong in model.mismatches("mtu.port_bytes"):
            if wrong.pair.kind == "uplink":
                yield self.finding(
                    f"mtu.port_bytes is {wrong.here} here and {wrong.there} at the other end "
                    "of the cable",
                    "use the same mtu.port_bytes at both ends",
                    place=wrong.place,
                    device=wrong.end.device,
                    port=wrong.end.port,
                )
