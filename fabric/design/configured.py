"""What a switch gets of its lossless policy, in words, and the rule that says what it does not get.

Rules and views ask here, so that no value counts as a fact that the switch is not configured with.
What a system renders stands in its ``features.toml``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.platforms.features import feature, features_of
from fabric.qos.ecn.edge import own_cell_bytes

if TYPE_CHECKING:
    from fabric.design.port_model import HeadroomProfile
    from fabric.design.qos_model import Watchdog
    from fabric.intent.classes import LosslessClass
    from fabric.intent.policy import WatchdogPolicy
    from fabric.platforms.model import Sku

NOT_CONFIGURED = "not configured"
#: The rule about a headroom that a law gives, where a system has none of its own.
_BY_LAW_RULE = "QOS050"
_NOTHING = "nothing is rendered"


def not_configured(rule: str) -> str:
    """Return that a switch does not get a value, with the id of the rule that says why."""
    return f"{NOT_CONFIGURED} ({rule})" if rule else NOT_CONFIGURED


def no_pmax(sku: Sku) -> str:
    """Return the id of the rule why a switch does not get Pmax; empty where it gets it."""
    return features_of(sku.nos).ignoring("lossless.ecn.pmax_percent", sku)


def pmax_words(one: LosslessClass, sku: Sku) -> str:
    """Return the marking probability at Kmax that a switch is configured with."""
    rule = no_pmax(sku)
    return not_configured(rule) if rule else f"{one.pmax_percent} %"


class HeadroomState(NamedTuple):
    """What a switch does for the headroom of a port.

    Parameters
    ----------
    is_configured : bool
        Whether its configuration decides the headroom.
    is_estimate : bool
        Whether only a law gives it.
    rule : str
        Id of the rule about it; empty where the headroom is known and configured.
    kept : str
        What is known of what the switch keeps instead; empty where nothing is.
    """

    is_configured: bool = True
    is_estimate: bool = False
    rule: str = ""
    kept: str = ""

    @property
    def lack(self) -> str:
        """That it is not configured, with the rule; empty where it is."""
        return "" if self.is_configured else not_configured(self.rule)

    @property
    def note(self) -> str:
        """What follows the figure: that it is an estimate, and whether the switch gets it."""
        return " (estimate)" * self.is_estimate + (f"; {self.lack}" if self.lack else "")


def headroom_state(profile: HeadroomProfile, sku: Sku, role: str) -> HeadroomState:
    """Return what a switch does for the headroom of a port."""
    cell, is_estimate = feature(sku.nos, "buffers", sku, role), profile.is_estimate
    if cell and cell.of_table and profile.row and own_cell_bytes(sku) is None:
        kept = f"{_NOTHING}: the cell size of {sku.name} is not published"
        return HeadroomState(is_configured=False, rule=cell.rule, kept=kept)
    if cell is None or not is_estimate:
        return HeadroomState(not is_estimate, is_estimate, _BY_LAW_RULE * is_estimate)
    kept = cell.by_law or ("" if cell.rendered else cell.note)
    is_configured = cell.rendered and not cell.of_table
    if not is_configured:
        kept = f"{_NOTHING}: {kept}" if kept else _NOTHING
    return HeadroomState(is_configured, is_estimate, cell.rule or _BY_LAW_RULE, kept)


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
            NOT_CONFIGURED, has_times=False, rule=watchdog.rule if watchdog else ""
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
    if action == NOT_CONFIGURED:
        return not_configured(rule)
    return f"{action}, after a time that the switch chooses" + (f" ({rule})" if rule else "")


def sets_times(sku: Sku, role: str) -> bool:
    """Tell whether the times of the policy reach the configuration of a switch."""
    cells = (feature(sku.nos, name, sku, role) for name in ("watchdog", "watchdog_times"))
    return all(cell is not None and cell.rendered for cell in cells)
