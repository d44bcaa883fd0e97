"""``rollout`` of ``fabric.yaml``: how a change goes through a fabric."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from fabric.intent.policy import Model
from fabric.intent.scalars import Loose, Names, Text

_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
#: A name of a time zone that may be looked for: no path leads out of the folder of zones.
_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,32}(/[A-Za-z0-9_+-]{1,32}){0,2}")

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def _clock(text: str) -> str:
    if not _TIME.fullmatch(text):
        raise ValueError(f"{text!r} is not a time of day; use the form 22:00")
    return text


def _zone(name: str) -> str:
    from zoneinfo import available_timezones

    known = name == "UTC" or (_ZONE.fullmatch(name) and name in available_timezones())
    if not known:
        raise ValueError(f"{name!r} is not a known time zone; use a name such as Europe/Berlin")
    return name


Clock = Annotated[str, AfterValidator(_clock)]
Zone = Annotated[str, AfterValidator(_zone)]


class Window(Model):
    """Days and hours in which a change may begin; one that ends before it begins ends next day."""

    days: Annotated[tuple[Weekday, ...], Loose] = Field(
        ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
        min_length=1,
        description="Days on which the window opens.",
    )
    start: Clock = Field(description="Time at which it opens, such as 22:00.")
    end: Clock = Field(description="Time at which it closes, such as 05:00.")
    timezone: Zone = Field("UTC", description="Time zone of both times, such as Europe/Berlin.")


class Canary(Model):
    """Devices that change first, one at a time."""

    devices: Annotated[tuple[Names, ...], Loose] = Field(
        (), description="Switches and hosts, as ranges."
    )
    hosts: int = Field(
        0, ge=0, le=1000, description="Further hosts, taken from the beginning of the units."
    )


class Gates(Model):
    """What must hold before a wave is confirmed, and again after the soak."""

    counters: bool = Field(
        True,  # noqa: FBT003
        description="No new discards, and no storm of pauses, on the switches of the wave and at "
        "the other ends of their cables.",
    )
    ping: bool = Field(
        False,  # noqa: FBT003
        description="NICs behind the switches of the wave reach others: packets of full size, "
        "not fragmented, with the DSCP of RoCE. Without it, and without `rdma`, one pair through "
        "each leaf that changes.",
    )
    rdma: bool = Field(
        False,  # noqa: FBT003
        description="Pairs of those NICs read and write each other's memory, by rping.",
    )
    command: Annotated[tuple[Text, ...], Loose] = Field(
        (),
        description="Command of the user and its arguments; it reads the wave as JSON, and "
        "another exit code than 0 stops the run.",
    )
    command_s: int = Field(300, ge=1, le=86_000, description="Seconds that the command may take.")


class Drain(Model):
    """What is taken out of service before a wave, and returned to service after it.

    Commands for hosts read the wave as JSON, with its hosts as a range such as ``gpu[001-064]``.
    """

    before: Annotated[tuple[Text, ...], Loose] = Field(
        (),
        description="Command and arguments that drain the hosts which lose a rail or change; it "
        "ends with 0 when no job runs on them.",
    )
    after: Annotated[tuple[Text, ...], Loose] = Field(
        (), description="Command and arguments that return them to service, however the wave ended."
    )
    timeout_s: int = Field(
        3600, ge=1, le=604_800, description="Seconds that draining may take: jobs have to end."
    )
    switches: bool = Field(
        False,  # noqa: FBT003
        description="Whether switches of a wave that lose packets, flap ports or restart are "
        "drained by graceful shutdown of BGP (RFC 8326), where the system has FRR.",
    )
    settle_s: int = Field(
        10, ge=0, le=3600, description="Seconds that traffic has to leave a drained switch."
    )


class Jobs(Model):
    """Commands that list jobs: a line for each, its name, a blank, and its hosts as ranges."""

    running: Annotated[tuple[Text, ...], Loose] = Field(
        (),
        description="Command and arguments that list the jobs that run; the plan names those on "
        "the hosts of each wave.",
    )
    failed: Annotated[tuple[Text, ...], Loose] = Field(
        (),
        description="Command and arguments that list the jobs that failed; a new one on the hosts "
        "of a wave stops the run.",
    )
    timeout_s: int = Field(60, ge=1, le=3600, description="Seconds that each may take.")


class Rollout(Model):
    """How a change goes through the fabric: order, size of waves, gates and times."""

    canary: Canary = Field(Canary(), description="What changes first.")
    wave_size: int = Field(16, ge=1, le=1000, description="Most devices that change together.")
    rails_at_once: int = Field(1, ge=1, le=64, description="Most rails whose leaves do.")
    min_capacity_percent: int = Field(
        50,
        ge=0,
        le=100,
        description="Bandwidth that every unit and pod keeps while all devices of a wave are down; "
        "waves are split until it does.",
    )
    soak_s: int = Field(
        0,
        ge=0,
        le=86_000,
        description="Seconds between the two times at which the gates of a wave are checked.",
    )
    drain: Drain = Field(Drain(), description="How hosts are taken out of service.")
    jobs: Jobs = Field(Jobs(), description="How the jobs of the scheduler are listed.")
    gates: Gates = Field(Gates(), description="What must hold before a wave is confirmed.")
    windows: Annotated[tuple[Window, ...], Loose] = Field(
        (), description="When waves may begin; empty: always."
    )
    notify: Annotated[tuple[Text, ...], Loose] = Field(
        (),
        description="Command of the user and its arguments; it reads each event of a run as JSON: "
        "when it and each of its waves begin and end. How it ends does not matter.",
    )
    approvals: int = Field(
        0, ge=0, le=9, description="People who approve a plan besides the one who applies it."
    )

    @property
    def commands(self) -> dict[str, tuple[str, ...]]:
        """Commands of the user that a plan or a run starts, by their field."""
        every = {
            "jobs.running": self.jobs.running,
            "jobs.failed": self.jobs.failed,
            "drain.before": self.drain.before,
            "drain.after": self.drain.after,
            "gates.command": self.gates.command,
            "notify": self.notify,
        }
        return {name: words for name, words in every.items() if words}
