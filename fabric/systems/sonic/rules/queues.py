"""Rules about queues and marking of a CONFIG_DB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.sonic.config_db import number, plain_name
from fabric.systems.sonic.rule import SonicPolicyRule
from fabric.validate.rule import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.systems.sonic.config_db import Row, SonicConfig


@rules.add("SON004")
class MarkedQueue(SonicPolicyRule):
    """The lossless queue marks ECN."""

    why = "Without a WRED profile nothing slows down the senders before PFC pauses them."
    source = "sonic-net/sonic-buildimage files/build_templates/qos_config.j2; RFC 3168"
    guards = ("lossless.queue",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the WRED profile of every lossless queue."""
        for port, queue, row in config.lossless_queues:
            if not row.get("wred_profile"):
                yield self.finding(
                    f"lossless queue {queue} has no wred_profile",
                    f"set wred_profile AZURE_LOSSLESS in the QUEUE row of queue {queue}",
                    device=config.device,
                    port=port.name,
                )


@rules.add("SON010")
class EcnNone(SonicPolicyRule):
    """WRED of a lossless queue marks and does not drop."""

    why = (
        "With ecn_none, the default, the thresholds drop packets instead of marking them; with "
        "ecn_yellow or ecn_red, the green ones, which all packets are without a meter."
    )
    source = (
        "sonic-net/sonic-buildimage sonic-wred-profile.yang; sonic-net/sonic-swss "
        "orchagent/qosorch.cpp"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the ecn field of every profile of a lossless queue that is on."""
        used = {plain_name(row.get("wred_profile", "")) for _, _, row in config.lossless_queues}
        profiles = config.rows("WRED_PROFILE")
        for name, profile in ((name, profiles[name]) for name in profiles if name in used):
            ecn = str(profile.get("ecn", "ecn_none"))
            dropped = [
                colour
                for colour in ("green", "yellow", "red")
                if str(profile.get(f"wred_{colour}_enable")).lower() == "true"
                and ecn != "ecn_all"
                and colour not in ecn.split("_")
            ]
            if "green" in dropped or (dropped and ecn == "ecn_none"):
                yield self.finding(
                    f"WRED profile {name} is enabled for {', '.join(dropped)} with {ecn}, so it "
                    "drops",
                    "set ecn to ecn_all",
                    device=config.device,
                )


#: The one profile whose thresholds GCU lets `config apply-patch` change.
_PATCHABLE = "AZURE_LOSSLESS"


@rules.add("SON015")
class WredName(SonicPolicyRule):
    """The WRED profile of the lossless queue is AZURE_LOSSLESS."""

    severity = Severity.WARNING
    why = "Only under this name can config apply-patch change the thresholds of a running switch."
    source = (
        "sonic-net/sonic-utilities generic_config_updater/gcu_field_operation_validators.conf.json"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the profile of every lossless queue; a second class has one of another name."""
        profiles = config.rows("WRED_PROFILE")
        patchable = {
            port.name
            for port, _, row in config.lossless_queues
            if plain_name(row.get("wred_profile", "")) == _PATCHABLE
        }
        for port, _, row in config.lossless_queues:
            name = row.get("wred_profile")
            if not name or plain_name(name) == _PATCHABLE:
                continue
            same = profiles.get(plain_name(name)) == profiles.get(_PATCHABLE)
            if same or port.name not in patchable:
                yield self.finding(
                    f"WRED profile {name} cannot be changed by config apply-patch",
                    "name the profile of the lossless queue AZURE_LOSSLESS",
                    device=config.device,
                    port=port.name,
                )


@rules.add("SON022")
class StrictLossless(SonicPolicyRule):
    """The lossless queue is not strict."""

    severity = Severity.WARNING
    why = "RoCE data in a strict queue starves every other class, including CNPs and routing."
    source = (
        "IEEE 802.1Q-2018 clause 37; sonic-net/sonic-buildimage "
        "files/build_templates/qos_config.j2 (DWRR)"
    )
    guards = ("lossless.queue", "lossless.scheduler.lossless_percent")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the scheduler of every lossless queue."""
        schedulers = config.rows("SCHEDULER")
        for port, queue, row in config.lossless_queues:
            name = str(row.get("scheduler", ""))
            if schedulers.get(plain_name(name), {}).get("type") == "STRICT":
                yield self.finding(
                    f"lossless queue {queue} has the strict scheduler {name}",
                    "use a DWRR scheduler",
                    device=config.device,
                    port=port.name,
                )


@rules.add("SON035")
class Marking(SonicPolicyRule):
    """WRED of a lossless queue marks between two thresholds."""

    why = "With a profile that never marks, only PFC slows down the senders."
    source = (
        "sonic-net/sonic-buildimage src/sonic-yang-models/yang-models/sonic-wred-profile.yang; "
        "RFC 3168"
    )
    judges_rendered = False
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes", "lossless.ecn.pmax_percent")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the green thresholds of the profile of every lossless queue."""
        profiles = config.rows("WRED_PROFILE")
        for port, _, row in config.lossless_queues:
            name = plain_name(row.get("wred_profile", ""))
            message = _wrong(profiles[name]) if name in profiles else ""
            if message:
                yield self.at(
                    config,
                    ("WRED_PROFILE", name),
                    f"WRED profile {name} of a lossless queue {message}",
                    "set wred_green_enable true, green_min_threshold below "
                    "green_max_threshold, and a green_drop_probability",
                    port=port.name,
                )


#: orchagent takes a larger number without a word (sonic-wred-profile.yang: 0 to 100).
_WHOLE_PERCENT = 100


def _wrong(profile: Row) -> str:
    """Return why a profile never marks green packets, or not where it should."""
    low, high = (number(profile.get(f"green_{end}_threshold")) for end in ("min", "max"))
    if str(profile.get("wred_green_enable")).lower() != "true":
        return "marks no green packets"
    if low is None or high is None:
        return "has no green thresholds"
    if low > high:
        return f"begins at {low} and ends at {high}"
    probability = number(profile.get("green_drop_probability"))
    if probability == 0 or (probability or 0) > _WHOLE_PERCENT:
        return f"marks with probability {probability}"
    return ""


@rules.add("SON036")
class LosslessShare(SonicPolicyRule):
    """The lossless queue has a share of the link."""

    why = "A queue without a weight is served last, and its senders are paused constantly."
    source = (
        "sonic-net/sonic-buildimage src/sonic-yang-models/yang-models/sonic-scheduler.yang (weight "
        "1 to 100), files/build_templates/qos_config.j2"
    )
    judges_rendered = False
    guards = ("lossless.scheduler.lossless_percent",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the scheduler of every lossless queue."""
        schedulers = config.rows("SCHEDULER")
        for port, queue, row in config.lossless_queues:
            name = plain_name(row.get("scheduler", ""))
            scheduler = schedulers.get(name, {})
            weightless = scheduler.get("type") in {"DWRR", "WRR"} and not number(
                scheduler.get("weight")
            )
            if row and (not name or weightless):
                yield self.at(
                    config,
                    ("SCHEDULER", name) if name else ("QUEUE", f"{port.name}|{queue}"),
                    f"scheduler {name} of lossless queue {queue} has no weight"
                    if name
                    else f"lossless queue {queue} has no scheduler",
                    "use a DWRR scheduler with a weight from 1 to 100",
                    port=port.name,
                )
