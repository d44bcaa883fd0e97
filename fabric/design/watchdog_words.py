"""What a switch gets of the PFC watchdog of its policy, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.platforms.features import feature

if TYPE_CHECKING:
    from fabric.design.qos_model import Watchdog
    from fabric.intent.policy import WatchdogPolicy
    from fabric.platforms.model import Sku


class WatchdogState(NamedTuple):
    """What a switch does with the PFC watchdog of a policy.

    Parameters
    ----------
    action : str
        ``drop``, ``forward``, ``alert``, ``off`` or ``not configured``.
    has_times : bool
        Whether it acts and restores after the times of the policy.
    rule : str
        Id of the rule that says why it does not; empty where there is none.
    """

    action: str
    has_times: bool = True
    rule: str = ""


def watchdog_state(policy: WatchdogPolicy | Watchdog | None, sku: Sku, role: str) -> WatchdogState:
    """Return what a switch does with the watchdog of a policy; None is a port without PFC."""
    if policy is None or not policy.enabled:
        return WatchdogState("off")
    watchdog = feature(sku.nos, "watchdog", sku, role)
    if watchdog is None or not watchdog.rendered:
        return WatchdogState(
            "not configured", has_times=False, rule=watchdog.rule if watchdog else ""
        )
    if not sets_times(sku, role):
        times = feature(sku.nos, "watchdog_times", sku, role)
        return WatchdogState(policy.action, has_times=False, rule=times.rule if times else "")
    return WatchdogState(policy.action)


def watchdog_words(policy: WatchdogPolicy | Watchdog | None, sku: Sku, role: str) -> str:
    """Return action and time, or what the switch does without them; None is a port without PFC."""
    action, has_times, rule = watchdog_state(policy, sku, role)
    if policy is None or action == "off":
        return action
    if has_times:
        return f"{action}, after {policy.detection_ms} ms"
    when = "" if action == "not configured" else ", after a time that the switch chooses"
    return action + when + (f" ({rule})" if rule else "")


def sets_times(sku: Sku, role: str) -> bool:
    """Tell whether the times of the policy reach the configuration of a switch."""
    cells = (feature(sku.nos, name, sku, role) for name in ("watchdog", "watchdog_times"))
    return all(cell is not None and cell.rendered for cell in cells)
