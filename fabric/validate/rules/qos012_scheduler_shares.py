"""QOS012: shares of the scheduler sum to 100."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

WHOLE_PERCENT = 100


@rules.add("QOS012")
class SchedulerShares(ModelRule):
    """Shares of the scheduler sum to 100."""

    why = "Systems scale or reject other sums, and the two ends of a cable then differ."
    source = "IEEE 802.1Q-2018 clause 37.3 (ETS bandwidth sums to 100)"
    guards = ("lossless.scheduler.lossless_percent", "lossless.scheduler.default_percent")

    def check(self, model: Model) -> Iterator[Finding]:
        """Add the shares of every policy."""
        for device in model.devices.values():
            for profile in device.qos_profiles:
                shares = [queue.percent for queue in profile.queues if queue.percent is not None]
                if sum(shares) != WHOLE_PERCENT:
                    yield self.finding(
                        f"scheduler shares {' + '.join(map(str, shares))} sum to {sum(shares)}",
                        "make lossless_percent and default_percent sum to 100",
                        place=model.profile_place("scheduler.lossless_percent", device, profile),
                        device=device.name,
                    )
