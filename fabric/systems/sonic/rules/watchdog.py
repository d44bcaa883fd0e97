"""Rules about the PFC watchdog and pauses of a CONFIG_DB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.systems.sonic.config_db import number, numbers
from fabric.systems.sonic.platforms import SONIC
from fabric.systems.sonic.rule import SonicPolicyRule
from fabric.validate.rule import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.systems.sonic.config_db import Row, SonicConfig


#: Priorities of packets that a dual ToR bounces back, which the watchdog leaves out on purpose
#: (sonic-net/SONiC pull request 950, sonic-net/sonic-buildimage 10608).
_BOUNCED = {2, 6}


def _is_old(row: Row) -> bool:
    """Tell whether a row names maps as releases did whose watchdog goes by pfc_enable.

    Before sonic-net/sonic-swss pull request 2171; references have had no brackets since the
    version 3_0_3 of the database (sonic-net/sonic-utilities, scripts/db_migrator.py).
    """
    return any(str(value).startswith("[") for value in row.values())


@rules.add("SON041")
class BigRedSwitch(SonicPolicyRule):
    """The watchdog lets lossless packets through."""

    why = (
        "With BIG_RED_SWITCH the watchdog drops all packets of all lossless queues, storm or not, "
        "and detects nothing."
    )
    source = "sonic-net/sonic-swss pull request 467; orchagent/pfcwdorch.cpp"
    judges_rendered = False
    guards = ("lossless.watchdog.enabled",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the switch in the global row."""
        state = config.rows("PFC_WD").get("GLOBAL", {}).get("BIG_RED_SWITCH")
        if state == "enable":
            yield self.at(
                config,
                ("PFC_WD", "GLOBAL", "BIG_RED_SWITCH"),
                "BIG_RED_SWITCH is enabled: all packets of all lossless queues are dropped",
                "set BIG_RED_SWITCH to disable, or remove it",
            )


@rules.add("SON043")
class WatchdogPolling(SonicPolicyRule):
    """The counters that the watchdog reads are polled."""

    severity = Severity.WARNING
    why = "The watchdog sees a storm in polled counters alone; without polling it detects nothing."
    source = (
        "sonic-net/sonic-swss orchagent/flexcounterorch.cpp (PFCWD is the group of the watchdog), "
        "orchagent/pfcwdorch.cpp"
    )
    judges_rendered = False
    guards = ("lossless.watchdog.enabled",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the state of the group of counters."""
        group = config.rows("FLEX_COUNTER_TABLE").get("PFCWD", {})
        if config.watchdogs and group.get("FLEX_COUNTER_STATUS") == "disable":
            yield self.at(
                config,
                ("FLEX_COUNTER_TABLE", "PFCWD", "FLEX_COUNTER_STATUS"),
                f"the counters of the watchdog on {counted(len(config.watchdogs), 'port')} are "
                "not polled",
                "set FLEX_COUNTER_STATUS of PFCWD to enable",
            )


@rules.add("SON002")
class WatchdogMasks(SonicPolicyRule):
    """The watchdog has priorities to watch."""

    why = (
        "It acts on pfcwd_sw_enable only; with an empty mask it logs No lossless TC found and "
        "does not start."
    )
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp"
    guards = ("lossless.watchdog.enabled", "lossless.pfc")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the rows of PFC_WD with the masks of their ports."""
        maps = config.rows("PORT_QOS_MAP")
        for port in config.watchdogs:
            row, severity = maps.get(port, {}), None
            paused, watched = (set(numbers(row.get(f))) for f in ("pfc_enable", "pfcwd_sw_enable"))
            if not paused:
                message, fix = "PFC_WD row but no pfc_enable", "set pfc_enable, or remove the row"
            elif not watched:
                message, fix = (
                    "PFC_WD row but no pfcwd_sw_enable",
                    "set pfcwd_sw_enable to the value of pfc_enable",
                )
                severity = Severity.INFO if _is_old(row) else None
            elif watched - paused:
                message = (
                    f"pfcwd_sw_enable {row['pfcwd_sw_enable']} is not "
                    f"pfc_enable {row['pfc_enable']}"
                )
                fix = "set both to the same value"
            else:
                yield from self._unwatched(config, port, paused - watched)
                continue
            yield self.finding(message, fix, device=config.device, port=port, severity=severity)

    def _unwatched(self, config: SonicConfig, port: str, priorities: set[int]) -> Iterator[Finding]:
        if priorities:
            listed = ", ".join(map(str, sorted(priorities)))
            is_usual = priorities <= _BOUNCED
            yield self.finding(
                f"the watchdog does not watch lossless priority {listed}",
                "leave it so where a dual ToR bounces packets back; else set pfcwd_sw_enable to "
                "the value of pfc_enable"
                if is_usual
                else "set pfcwd_sw_enable to the value of pfc_enable",
                device=config.device,
                port=port,
                severity=Severity.INFO if is_usual else Severity.WARNING,
            )


@rules.add("SON011")
class Restoration(SonicPolicyRule):
    """The watchdog restores ports."""

    severity = Severity.WARNING
    why = "Without restoration_time a port that was blocked once stays blocked."
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp"
    guards = ("lossless.watchdog.restoration_ms",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for both times of every row."""
        for port, row in config.watchdogs.items():
            for field, what in (
                ("restoration_time", "is not restored"),
                ("detection_time", "is not watched"),
            ):
                if field not in row:
                    yield self.finding(
                        f"PFC_WD row without {field}: the port {what}",
                        f"set {field} in ms",
                        device=config.device,
                        port=port,
                        severity=Severity.ERROR if field == "detection_time" else None,
                    )


#: sonic-net/sonic-buildimage src/sonic-yang-models/yang-models/sonic-pfcwd.yang.
_ACTIONS = ("drop", "forward", "alert")
#: It changes no queue (sonic-net/sonic-swss pull request 343).
_ALERT = "alert"


@rules.add("SON016")
class WatchdogPoll(SonicPolicyRule):
    """The watchdog polls within its times, and they are in range."""

    why = "A detector that polls less often than its detection time is rejected."
    source = "sonic-net/sonic-utilities pfcwd/main.py (choose a smaller polling_interval)"
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare both times of every row with the poll interval and with what the switch takes."""
        poll = config.poll_ms or 0
        if config.watchdogs and not poll:
            yield self.at(
                config,
                ("PFC_WD", "GLOBAL"),
                "PFC_WD without POLL_INTERVAL",
                "set POLL_INTERVAL in PFC_WD GLOBAL",
                severity=Severity.WARNING,
            )
        for port, row in config.watchdogs.items():
            for field, kind in (
                ("detection_time", "detection"),
                ("restoration_time", "restoration"),
            ):
                value, (low, high) = number(row.get(field)), SONIC.watchdog_ms[kind]
                fits = config.is_rendered or (value is not None and low <= value <= high)
                if value is None or (fits and value >= poll):
                    continue
                below = f"below POLL_INTERVAL {poll}" if value < poll else f"not {low} to {high} ms"
                yield self.at(
                    config,
                    ("PFC_WD", port, field),
                    f"PFC_WD {field} {value} is {below}",
                    "lower POLL_INTERVAL or increase the time"
                    if value < poll
                    else "use a time in the range",
                    port=port,
                )
            if row.get("action") == _ALERT:
                yield self.at(
                    config,
                    ("PFC_WD", port, "action"),
                    "PFC_WD action alert only writes a log: no storm ends",
                    "use drop or forward",
                    port=port,
                    severity=Severity.WARNING,
                )
            if row.get("action", "drop") not in _ACTIONS:
                yield self.at(
                    config,
                    ("PFC_WD", port, "action"),
                    f"PFC_WD action {row['action']} is not valid",
                    f"use one of {', '.join(_ACTIONS)}",
                    port=port,
                )


@rules.add("SON019")
class Asymmetric(SonicPolicyRule):
    """PFC is symmetric."""

    severity = Severity.WARNING
    why = (
        "With pfc_asym on a port honours pauses of all eight priorities, so a peer "
        "can stop control traffic."
    )
    source = "sonic-net/sonic-swss orchagent/portsorch.cpp (setPortPfcAsym)"
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for pfc_asym on."""
        for port, row in config.rows("PORT").items():
            if row.get("pfc_asym") == "on":
                yield self.finding(
                    "pfc_asym is on: pauses of all priorities are honoured",
                    "set pfc_asym to off",
                    device=config.device,
                    port=port,
                )


@rules.add("SON023")
class Unwatched(SonicPolicyRule):
    """Watched priorities have a PFC_WD row."""

    severity = Severity.WARNING
    why = "pfcwd_sw_enable alone starts nothing, and a pause storm on the port does not end."
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp"
    guards = ("lossless.watchdog.enabled",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the watchdog row of every watched port, and of every port of a file."""
        for port in config.lossless_ports:
            watched = numbers(port.qos.get("pfcwd_sw_enable"))
            if port.name in config.watchdogs or (config.is_rendered and not watched):
                continue
            yield self.finding(
                f"pfcwd_sw_enable {port.qos['pfcwd_sw_enable']} but no PFC_WD row"
                if watched
                else "lossless port without a watchdog",
                "add the PFC_WD row, or clear the mask"
                if watched
                else "add the PFC_WD row and pfcwd_sw_enable",
                device=config.device,
                port=port.name,
            )
