"""How a run is made, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.budget import NO_FAILURES, MaxFailures
from fabric.core.errors import InputError

if TYPE_CHECKING:
    from fabric.change.approvals import Approvals

#: What a wave needs of its commit timer beside verification: the looks themselves, confirming.
SPARE_S = 30
#: Seconds between two lines about what a run waits for: our choice.
TELL_S = 20.0
#: EOS takes a time of day as timer (napalm-automation/napalm ``napalm/eos/eos.py``).
LONGEST_TIMER_S = 86_399
#: `config reload` of SONiC restarts all services and takes minutes
#: (sonic-net/sonic-utilities config/main.py); the timer runs while it does.
DEFAULT_TIMER_S = 900
DEFAULT_VERIFY_S = 240.0


@dataclass(frozen=True)
class Options:
    """How to apply.

    Parameters
    ----------
    timer_s : int
        Commit timer of the devices; outlasts the verification of a wave by ``SPARE_S``.
    verify_s : float
        How long a wave may take to look healthy.
    poll_s : float
        Pause between two looks.
    without_net : bool
        Whether devices are changed on which no timer rolls an unconfirmed change back.
    despite_cabling : bool
        Whether ports are changed that are cabled to another device than planned, and sessions
        over ports are trusted whose neighbour LLDP does not confirm.
    traffic_stopped : bool
        Whether nobody minds that packets of the lossless class are lost between waves.
    approvals : Approvals or None
        Who approved the plan.
    demanded : int or None
        How many people must approve the plan, as its inventory says now; None is what the plan
        says.
    max_failures : MaxFailures
        How many devices may fail, in a wave and in all, without stopping the run.
    notes : tuple of str
        What the first row of the run says beside the number of waves.
    parallel : int
        How many devices are worked on at the same time; 0 for the default.

    Raises
    ------
    InputError
        When the timer would run out while a wave is still being verified, or is too long.
    """

    timer_s: int = DEFAULT_TIMER_S
    verify_s: float = DEFAULT_VERIFY_S
    poll_s: float = 0.5
    without_net: bool = False
    despite_cabling: bool = False
    traffic_stopped: bool = False
    approvals: Approvals | None = None
    demanded: int | None = None
    max_failures: MaxFailures = NO_FAILURES
    notes: tuple[str, ...] = ()
    parallel: int = 0

    def __post_init__(self) -> None:
        if self.timer_s < self.verify_s + SPARE_S:
            raise InputError(
                f"a commit timer of {self.timer_s} s can expire while a wave is "
                f"verified for {self.verify_s:g} s; set it to at least "
                f"{self.verify_s + SPARE_S:g} s"
            )
        if self.timer_s > LONGEST_TIMER_S:
            raise InputError(
                f"the longest commit timer is {LONGEST_TIMER_S} s, not {self.timer_s} s"
            )


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    run: int
    ok: bool
    reasons: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    rolled_back: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
