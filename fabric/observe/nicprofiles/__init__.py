"""What others wrote on the NIC's side of a cable: one module for each form, one record for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.registry import Registry
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.observe.nicprofiles.record import NicProfile

#: Rule of files that no form reads.
UNREAD = "NIC019"


@dataclass(frozen=True, slots=True)
class ProfileForm:
    """A form in which settings of NICs are written.

    Parameters
    ----------
    words : str
        What it is, for messages and documents.
    matches : callable
        Whether a text is of the form.
    read : callable
        From the text and the name of its file to what it says; raises UnreadableError, or
        InputError with a place.
    names_nic : bool
        Whether the text itself says which NIC it is about; else the name of its file may.
    """

    words: str
    matches: Callable[[str], bool]
    read: Callable[[str, str], list[NicProfile]]
    names_nic: bool = False


profile_forms: Registry[ProfileForm] = Registry("form of a NIC profile", __name__)


def form_of(text: str) -> str:
    """Return the form of a text, empty where no form is known."""
    return next((name for name, form in profile_forms.items() if form.matches(text)), "")


def read_profile(file: Path, text: str) -> list[NicProfile]:
    """Return what a file says of NICs.

    Raises
    ------
    InputError
        When its form or its version is not known, or it cannot be read.
    """
    try:
        text = plain(text)
        name = form_of(text)
        if not name:
            known = "; ".join(profile_forms[other].words for other in profile_forms)
            raise refused(str(file), 0, "no form of a NIC profile is known for it", f"use {known}")
        return profile_forms[name].read(text, str(file))
    except UnreadableError as error:
        fix = "save the whole output again, without a pager"
        raise refused(str(file), 0, f"the NIC profile cannot be read: {error}", fix) from None


def refused(file: str, line: int, message: str, fix: str, field: str = "") -> InputError:
    """Return the error about a place in a profile."""
    finding = Finding(UNREAD, Severity.ERROR, message, fix, field, Position(file, line))
    return InputError("the NIC profile was not read", [finding])
