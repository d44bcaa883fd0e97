"""Calls of Broadcom's ``bnxt_setupcc.sh``, as scripts and units have them.

Options of version 236.1.155.0: ``-m`` 1 PFC, 2 congestion control, 3 both; ``-r`` and ``-s``
priority and DSCP of RoCE data, ``-c`` and ``-p`` those of CNPs, ``-v 1`` PFC by VLAN priority. PFC
is for the priority of ``-r`` alone, and the script turns pauses of the link off.
"""

from __future__ import annotations

import re
import shlex

from fabric.observe.nicprofiles import ProfileForm, profile_forms, refused
from fabric.observe.nicprofiles.record import PRIORITIES, Fields, NicProfile, NicValue, whole_calls
from fabric.qos.dscps import DSCPS

_NAME = "bnxt-setupcc"
_CALL = re.compile(r"^(?!\s*#).*\bbnxt_setupcc(?:\.sh)?\s+(-.*)$")
#: Where a command ends in a shell: a redirection, a pipe, another command.
_END = re.compile(r"\s\d?[>|;&]")
_PFC, _CONGESTION = {"1", "3"}, {"2", "3"}
#: Options with a number, by the field that they fill, and how many values there are.
_NUMBERS = {
    "-r": ("priority", PRIORITIES),
    "-s": ("dscp", DSCPS),
    "-c": ("cnp_priority", PRIORITIES),
    "-p": ("cnp_dscp", DSCPS),
}
_OTHERS = {"-d", "-i", "-m", "-v", "-b", "-t", "-u", "-C"}


def _matches(text: str) -> bool:
    return any(_CALL.match(line) for _, line in whole_calls(text))


def _read(text: str, file: str) -> list[NicProfile]:
    records = []
    for number, line in whole_calls(text):
        call = _CALL.match(line)
        if call:
            records.append(_profile(_options(call[1], file, number), file, number))
    return records


def _options(words: str, file: str, line: int) -> dict[str, str]:
    try:
        parts = shlex.split(_END.split(words)[0], comments=True)
    except ValueError:
        parts = ["?"]
    options = dict(zip(parts[::2], parts[1::2], strict=False))
    unknown = [name for name in parts[::2] if name not in _NUMBERS and name not in _OTHERS]
    if unknown or len(parts) % 2 or "-m" not in options:
        message = "this call of bnxt_setupcc.sh cannot be read"
        fix = "give each option a value, and name the mode with -m"
        raise refused(file, line, message, fix, unknown[0] if unknown else "")
    return options


def _profile(options: dict[str, str], file: str, line: int) -> NicProfile:
    values: Fields = {}
    for option, (field, count) in _NUMBERS.items():
        word = options.get(option)
        if word is None:
            continue
        if not word.isdecimal() or len(word) > len(str(DSCPS)) or int(word) >= count:
            message = f"{word[:20]!r} is not a value of {option}"
            raise refused(file, line, message, f"use 0 to {count - 1}", option)
        values[field] = NicValue(int(word), line)
    priority = values.get("priority")
    mode = options["-m"]
    if priority is not None:
        only = frozenset((priority.value,))
        if mode in _PFC:
            values["pfc"] = NicValue(only, line)
        if mode in _CONGESTION:
            values["congestion_priorities"] = NicValue(only, line)
    if options.get("-v") == "1":
        values["trust"] = NicValue("pcp", line)
    elif "-s" in options:
        values["trust"] = NicValue("dscp", line)
    if "-s" in options and priority is not None:
        marks = {values["dscp"].value: NicValue(priority.value, line)}
        values["dscp_to_priority"] = marks
    nic = options.get("-i", options.get("-d", ""))
    return NicProfile(
        form=_NAME,
        file=file,
        line=line,
        nic=nic,
        **values,
    )


profile_forms.add(_NAME)(ProfileForm("calls of bnxt_setupcc.sh", _matches, _read, names_nic=True))
