"""The errors that rocefab raises.

FabricError
├── InputError                 bad usage or bad input (exit code 2); carries findings
│   ├── HistoryError           git cannot say what a commit has
│   ├── BookError              a book of lines of a switch system is wrong
│   ├── CapacityError          the design does not fit: ports, addresses or ASNs ran out
│   ├── FileError              a file that a user names cannot be read
│   ├── OutputFolderError      the output folder holds what we did not write
│   └── UnplaceableError       the request of a job cannot be met
│       └── NoRoomError        it is right, and there are no hosts for it (exit code 4)
│           └── NeverFitsError it fits no free fabric, whatever ends or is repaired
├── RenderError                a template failed or printed something invalid
│   └── UnsupportedError       a system lacks what the inventory asks for (an InputError too)
├── ProgramError               another program could not be started, or was stopped
├── YangMappingError           a CONFIG_DB has no form in the YANG models of its release
├── DeviceError                a device or host answered wrongly (exit code 3)
│   ├── ConnectionLostError    the session broke or never opened
│   ├── LoginError             nobody can log in to a host that a gate asks
│   ├── IdentityMismatchError  the device is not the one that the plan names
│   ├── LabError               the real lab could not be built, or a part of it failed
│   ├── ForeignSessionError    somebody else has a configuration session open
│   ├── ServiceError           a service that is asked is away, too old, late or talks nonsense
│   ├── NotPlannedError        the device cannot become what the inventory says
│   └── RefusedError           the device refused a line or a command
└── PlanError                  the plan cannot be applied
    ├── StalePlanError         the device changed after the plan was made
    ├── CablingMismatchError   a port that the plan changes is cabled to another device
    └── JournalError           the journal forbids the step
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.core.findings import Finding


class FabricError(Exception):
    """Base of all errors that rocefab raises on purpose."""


class InputError(FabricError):
    """The input is wrong.

    Its text is the headline alone, such as ``the job cannot be placed``. Each thing that is wrong
    is in ``findings``; the text of one has its place, what is wrong, what to do, and its rule.
    Where they are empty, the headline says all.

    Parameters
    ----------
    message : str
        The headline.
    findings : sequence of Finding
        Each has ``rule``, ``severity``, ``message``, ``fix``, ``field``, ``position``, ``device``
        and ``port``.
    """

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class CapacityError(InputError):
    """The design needs more of something than there is."""


class UnplaceableError(InputError):
    """The request of a job cannot be met; the message says what there is."""


class NoRoomError(UnplaceableError):
    """The request of a job is right, and the fabric has no hosts for it."""


class NeverFitsError(NoRoomError):
    """The job would not fit if every host was free: to ask again later does not help."""


class FileError(InputError):
    """A file that a user names cannot be read, or is not what its kind must be.

    Parameters
    ----------
    finding : Finding
        What is wrong with it, and where.
    fault : str
        ``missing``: there is no such file; ``special``: it is no regular file; ``large``: it is
        larger than its kind may be; ``unreadable``; ``content``: it says something else.
    """

    def __init__(self, finding: Finding, fault: str) -> None:
        super().__init__(f"{finding.position}: {finding.message}", [finding])
        self.finding = finding
        self.fault = fault

    @property
    def reason(self) -> str:
        """What is wrong, and what to do."""
        fix = f"; {self.finding.fix}" if self.finding.fix else ""
        return f"{self.finding.message}{fix}"


class HistoryError(InputError):
    """git cannot say what a commit has: it is not installed, or the history is not whole."""


class RenderError(FabricError):
    """A template failed or printed something that is not valid configuration."""


class UnsupportedError(InputError, RenderError):
    """The system of a switch lacks what the inventory asks of it."""


class ProgramError(FabricError):
    """Another program did not do its work.

    Parameters
    ----------
    reason : str
        What is wrong, as the rest of a sentence that begins with the name.
    fix : str
        What to do about it; may be empty.
    """

    def __init__(self, program: str, reason: str, fix: str = "") -> None:
        super().__init__(f"{program} {reason}")
        self.reason = reason
        self.fix = fix


class OutputFolderError(InputError):
    """The output folder cannot be written safely."""


class DeviceError(FabricError):
    """Something went wrong while talking to one device.

    Parameters
    ----------
    device : str
        Name of the switch or host in the inventory.
    message : str
        What went wrong; never holds a secret.
    """

    def __init__(self, device: str, message: str) -> None:
        super().__init__(f"{device}: {message}")
        self.device = device
        self.reason = message


class ConnectionLostError(DeviceError):
    """The session broke, hung or could not be opened."""


class ServiceError(DeviceError):
    """A service that proves, or has approvals, did not answer: nothing is proved or approved."""


class LabError(DeviceError):
    """The kernel or a daemon did not take what a device of the real lab is made of."""


class NotPlannedError(DeviceError):
    """What runs on the device cannot stay beside the inventory, or the whole would be wrong."""


class IdentityMismatchError(DeviceError):
    """The device that answers is not the device that was planned."""


class ForeignSessionError(DeviceError):
    """Somebody else is changing this device now."""


class RefusedError(DeviceError):
    """The device refused what was sent."""


class PlanError(FabricError):
    """The plan cannot be applied."""


class StalePlanError(PlanError):
    """The running state is not the one that the plan was made against."""


class CablingMismatchError(PlanError):
    """A port that the plan changes is cabled to another device, or to another port of it."""


class JournalError(PlanError):
    """The journal does not allow this step."""
