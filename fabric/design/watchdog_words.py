"""What a switch gets of the PFC watchdog of its policy, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms.features import feature

if TYPE_CHECKING:
    from fabric.design.qos_model import Watchdog
    from fabric.intent.policy import WatchdogPolicy
    from fabric.platforms.features import FeatureCell
    from fabric.platforms.model import Sku


def watchdog_words(policy: WatchdogPolicy | Watchdog | None, sku: Sku, role: str) -> str:
    """Return action and time, or what the switch does without them; None is a port without PFC."""
    if policy is None or not policy.enabled:
        return "off"
    watchdog = feature(sku.nos, "watchdog", sku, role)
    if watchdog is None or not watchdog.rendered:
        return f"not configured{_rule(watchdog)}"
    if not sets_times(sku, role):
        times = feature(sku.nos, "watchdog_times", sku, role)
        return f"{policy.action}, after a time that the switch chooses{_rule(times)}"
    return f"{policy.action}, after {policy.detection_ms} ms"


def sets_times(sku: Sku, role: str) -> bool:
    """Tell whether the times of the policy reach the configuration of a switch."""
    cells = (feature(sku.nos, name, sku, role) for name in ("watchdog", "watchdog_times"))
    return all(cell is not None and cell.rendered for cell in cells)


def _rule(cell: FeatureCell | None) -> str:
    return f" ({cell.rule})" if cell and cell.rule else ""
