"""The faults that a run must survive: what is promised, and what a person then sees.

`docs/reference/reliability.md` is made of these words and of the tests with the marker ``fault``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from fabric.lab.faults import Fault, FaultKind


@dataclass(frozen=True)
class Promise:
    """One row of the page.

    Parameters
    ----------
    fault : str
        What goes wrong.
    promise : str
        What rocefab guarantees then.
    journal : str
        States that the journal shows afterwards.
    exit_code : str
        Exit codes of the command that met the fault.
    message : str
        What the user is told.
    """

    fault: str
    promise: str
    journal: str
    exit_code: str
    message: str


_FAILED_WAVE = "`rolled-back` for each device of the wave, `failed` for the run"
_NOTHING = "`failed` for the run; no device has a state"
FAULTS = {
    1: Promise(
        "The session drops at byte k of the push",
        "The device ends wholly old or wholly new; the wave is rolled back.",
        _FAILED_WAVE,
        "3",
        "device, command or file, and `lost during`",
    ),
    2: Promise(
        "The link falls silent",
        "Every call has a total time; then the session is cut and the wave is rolled back.",
        _FAILED_WAVE,
        "3",
        "`the upload took longer than 900 s`, `no answer for 60 s`",
    ),
    3: Promise(
        "The device restarts in the confirm window",
        "It comes back with its old configuration, files and kernel parameters included.",
        _FAILED_WAVE,
        "3",
        "`it was rolled back before it was confirmed: it restarted, or its commit timer expired`",
    ),
    4: Promise(
        "The commit timer expires while the controller is dead",
        "The device restores its old configuration without help.",
        "last state before the crash; `status` says `interrupted`",
        "3 when the run still looks",
        "`the commit timer has already run out`",
    ),
    5: Promise(
        "Another device answers at the address",
        "Nothing is written; host name, serial number and MAC are compared at each login.",
        _NOTHING,
        "3",
        "``host name is 'other-switch', expected 'spine01'; the device is not changed``",
    ),
    6: Promise(
        "Part of a wave fails",
        "The whole wave is rolled back, waves before it stay, later ones do not begin; "
        "within `--max-failures` only the devices that fail are rolled back.",
        "`done` for earlier waves, `rolled-back` for the wave, `failed` for the run",
        "3",
        "the first failure, then one line for each device that was rolled back",
    ),
    7: Promise(
        "The disk of the journal is full",
        "No step without its row: the run stops before the next effect on any device.",
        "last state that was written; `interrupted`",
        "2",
        "`the journal cannot be used: database or disk is full; the run stops`",
    ),
    8: Promise(
        "`kill -9` at any step",
        "`rocefab apply --resume` reaches a state in which each device is wholly old or new.",
        "`interrupted`, `done` after the resume",
        "137 of the shell",
        "`run 1 was interrupted; resume it with ...` by the next apply",
    ),
    9: Promise(
        "The journal is torn or corrupt",
        "Damaged rows are named and not used; a damaged state of one device hinders no other.",
        "what is undamaged; `status --verify` names the rest, by a chain of hashes",
        "2, or 3 for a device",
        "`the journal is damaged`, `the state of leaf2 before run 1 is damaged`",
    ),
    10: Promise(
        "Two operators apply at once",
        "One run at a time in a state folder; a run of another folder is kept off by the lock of "
        "the device, or by its session where the system has no place for a lock.",
        _NOTHING,
        "2 or 3",
        "`run 3 of alice@bastion since ... has locked it`, or user, host, process and time",
    ),
    11: Promise(
        "The plan is stale, or was modified",
        "Nothing is written; each device is compared with what was planned.",
        _NOTHING,
        "3 when stale, 2 when modified",
        "`its configuration changed after it was planned`, or the field of the plan file",
    ),
    12: Promise(
        "Another user has a pending commit, or commits meanwhile",
        "The device is left alone, and their work is kept when ours is rolled back.",
        "`failed` for the run, or `rolled-back` with what is kept",
        "3",
        "name of the other session; `changed outside this run meanwhile and is kept`",
    ),
    13: Promise(
        "A device is unreachable: connection rejected, no route, or a black hole",
        "It is named within 10 s (Junos: 30 s) and others are still read; a plan without it is "
        "written with `--allow-missing` alone.",
        _NOTHING,
        "3",
        "`cannot log in`, with the reason",
    ),
    14: Promise(
        "Authentication fails",
        "One try for each login: no account is locked.",
        _NOTHING,
        "3",
        "`cannot log in`; never the password",
    ),
    15: Promise(
        "The host key or certificate changed",
        "No password is sent, and nothing else.",
        _NOTHING,
        "3",
        "`cannot log in`, or that the certificate is not the one given as `trust`",
    ),
    16: Promise(
        "A device is slow, or drips",
        "Slow is waited for, a pause ends no answer, and a drip is cut off in time.",
        "as undisturbed, or " + _FAILED_WAVE,
        "0 or 3",
        "`a reading took longer than 300 s`",
    ),
    17: Promise(
        "Output is malformed, truncated, paged, escaped or 50 MB long",
        "Unreadable is unknown, never fine; memory stays bounded.",
        _FAILED_WAVE,
        "3",
        "what could not be read; `its answer is longer than 64 MiB`, or 16 MiB of a reading of "
        "state",
    ),
    18: Promise(
        "A line is rejected with a polite text",
        "Each system's words of rejection are known; the wave is rolled back.",
        _FAILED_WAVE,
        "3",
        "command and the device's own text, without secrets",
    ),
    19: Promise(
        "A configuration is half accepted",
        "The device is read back after each commit; a part of the change is rolled back.",
        _FAILED_WAVE,
        "3",
        "`not healthy`, with up to three settings that are not as planned",
    ),
    20: Promise(
        "Templates or commands in values of the inventory",
        "Values are data: not evaluated, and never a word of a command line.",
        "as undisturbed, or none: nothing is pushed",
        "as undisturbed, or 2",
        "file, line and field of a value that is rejected",
    ),
    21: Promise(
        "Bombs of paths, tags, aliases and ranges",
        "Rejected before they are expanded or followed.",
        "none; nothing is pushed",
        "2",
        "file, line and limit",
    ),
    22: Promise(
        "A secret in any output",
        "Passwords and hashes are in no plan, journal, log, message or process list.",
        "as undisturbed",
        "as undisturbed",
        "`***` instead of the secret",
    ),
    23: Promise(
        "The clock jumps",
        "Every wait and timer uses monotonic time; the order of the journal is that of its rows.",
        "as undisturbed",
        "0",
        "nothing; `status` shows the times of the clock",
    ),
    24: Promise(
        "A grey failure after the change",
        "Gates that send packets stop the run, without a roll-out one pair of NICs for each leaf "
        "that changes; the wave is rolled back. The plan says where no packet is sent.",
        "`done` for earlier waves, `rolled-back` for the wave, `failed` for the run",
        "3",
        "`gate ping`, with the pair of NICs that lost packets",
    ),
    25: Promise(
        "Cabling changes during the roll-out",
        "Cables of changing ports are compared before each wave, and all cables after its commit.",
        "`failed` for the run, and `rolled-back` for the wave that began",
        "3",
        "`lldp Ethernet0: gpu9 eth1, expected gpu1 eth1`, or the plugs to move",
    ),
    26: Promise(
        "The rollback itself fails",
        "The run stops, later waves do not begin, and an armed commit timer stays armed.",
        "`failed` for the device and the run",
        "3",
        "whether a timer will roll back the change; otherwise the commands to type, whole",
    ),
    27: Promise(
        "Ctrl-C, Ctrl-C twice, SIGTERM, out of memory",
        "The first Ctrl-C or SIGTERM rolls back the wave in progress; a second one and SIGKILL end "
        "at once. `rocefab apply --resume` continues.",
        "`interrupted`",
        "130 for Ctrl-C, 143 for SIGTERM; 137 of the shell",
        "how to continue; what the commit timers do meanwhile",
    ),
    28: Promise(
        "The saved configuration differs from the running one",
        "A run saves only what it has confirmed, and reads it back before it says `saved`; where a "
        "restart would load another configuration, the wave is rolled back. `rocefab verify` "
        "reports what differs later.",
        _FAILED_WAVE,
        "3; 4 of `verify`",
        "`the device reports that it saved, and its saved configuration is not the one that runs`; "
        "`the running configuration is not saved`",
    ),
    29: Promise(
        "The server of a shared journal falls silent",
        "A row waits 15 s for its answer, and a login 10 s: the run stops, commit timers roll back "
        "unconfirmed changes, and any machine resumes the run.",
        "last state that the server has; `interrupted`",
        "2",
        "`no answer for 15 s; the run stops`",
    ),
    30: Promise(
        "The machine of rocefab is busy, with hundreds of devices",
        "No sound device counts as unreadable: the time of a device begins with its turn to log "
        "in, and stands still while this machine does not come to listen.",
        "as undisturbed",
        "as undisturbed",
        "nothing; it takes longer",
    ),
}

#: Which faults of the list an injection of the lab is.
_OF_KIND: dict[FaultKind, tuple[int, ...]] = {
    "cut_at_byte": (1,),
    "cut_at_command": (1,),
    "slow": (16,),
    "hang": (2,),
    "drip": (16,),
    "endless": (17,),
    "pause": (16,),
    "reboot": (3,),
    "refuse_line": (18,),
    "accept_part": (19,),
    "identity": (5,),
    "expire_timer": (4,),
}


def by_injection(faults: Mapping[str, Fault], names: Iterable[str] = ()) -> list[Any]:
    """Return one parameter for each injection, marked with the fault that it is."""
    return [
        pytest.param(name, marks=pytest.mark.fault(*_OF_KIND[faults[name].kind]), id=name)
        for name in names or faults
    ]
