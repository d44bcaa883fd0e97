"""CUM003: on Cumulus Linux all ports of a switch have one lossless policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import QosProfile
    from fabric.validate.world import Model

#: What ports of one switch share.
_FIELDS = (
    *("roce_dscp", "cnp_dscp", "pfc", "pfc_priority", "traffic_class", "cnp_traffic_class"),
    *("kmin_bytes", "kmax_bytes", "pmax_percent", "queues"),
    *("watchdog.action", "watchdog.detection_ms", "watchdog.poll_ms"),
)
#: Fields of the inventory where they are called otherwise.
_WORDS = {
    "kmin_bytes": "ecn.kmin_bytes",
    "kmax_bytes": "ecn.kmax_bytes",
    "pmax_percent": "ecn.pmax_percent",
    "queues": "scheduler",
}


@rules.add("CUM003")
class OnePolicy(ModelRule):
    """On Cumulus Linux all ports of a switch have one lossless policy."""

    why = (
        "The RoCE recipe applies to the whole switch; a port can differ only in MTU and in whether "
        "the watchdog is on."
    )
    source = "CumulusNetworks/docs content/cumulus-linux-514, RDMA over Converged Ethernet"
    guards = ("devices.ports.lossless",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare every policy of a switch with its first."""
        for device in model.devices.values():
            base = device.qos_profiles[0]
            for profile in device.qos_profiles[1:] if device.platform == "cumulus" else ():
                for field in _FIELDS:
                    word, here = _WORDS.get(field, field), field_of(profile, field)
                    if here != field_of(base, field):
                        yield self.finding(
                            f"{word} {here} of a port is not the {field_of(base, field)} of its "
                            "switch",
                            "set it for the whole switch",
                            place=model.profile_place(word, device, profile),
                            device=device.name,
                        )


def field_of(profile: QosProfile, field: str) -> object:
    """Return a dotted field of a policy; of its queues the shares in percent."""
    if field == "queues":
        shares = [str(queue.percent) for queue in profile.queues if queue.percent is not None]
        return " and ".join(shares)
    value: object = profile
    for name in field.split("."):
        value = getattr(value, name)
    return value
