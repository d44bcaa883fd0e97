"""Options of export that a part uses: an option that says nothing to a part is rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.exports import JOB_OPTIONS, About, exporters
from fabric.core.findings import Finding, Severity
from fabric.core.shown import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from fabric.core.exports import Exporter

_NODES = ("--exclude", "--avoid-state", "--state-max-age", "--image")
_BOOT = ("--account", "--account-key", "--account-hash", "--boot-url", "--tls-url", "--own-ca")
_DEVICES = ("--connections", "--snapshot", "--snapshot-max-age", "--parallel", "--ask-password")
#: Options of what an exporter is about; the exporter names parts that use fewer.
_OPTIONS: Mapping[About, tuple[str, ...]] = {
    About.JOB: JOB_OPTIONS,
    About.LAB: ("--lab-image",),
    About.NODES: _NODES,
    About.PARTS: ("--spare",),
    About.ACCOUNT: ("--account",),
    About.ANSIBLE: ("--connections",),
    About.BOOT: (*_BOOT, "--images", "--whole"),
    About.RAILS: ("--exclude", *_DEVICES),
}
#: Options of how hosts are now: `place` takes it into account, exports of jobs take its hosts.
_OF_STATE = ("--avoid-state", "--state-max-age")
_KNOWN = frozenset(option for options in _OPTIONS.values() for option in options)


def options_of(exporter: Exporter, part: str) -> tuple[str, ...]:
    """Return the options that a part uses, besides those that all exports have."""
    return exporter.options.get(part, _OPTIONS.get(exporter.about, ()))


def refuse_unused(form: str, parts: Collection[str], given: Collection[str]) -> None:
    """Raise when an option was given that none of the parts of a form uses.

    Parameters
    ----------
    parts : collection of str
        Parts that are written; unknown ones are left to those who write them.
    given : collection of str
        Options of the command line, with their dashes.

    Raises
    ------
    InputError
        With a finding for each option, which names the parts that use it.
    """
    exporter = exporters[form]
    if any(part not in exporter.parts for part in parts):
        return
    used = {option for part in parts for option in options_of(exporter, part)}
    unused = [option for option in given if option in _KNOWN - used]
    if unused:
        which = form if len(exporter.parts) == 1 else f"{form} ({', '.join(parts)})"
        raise InputError(
            "the export cannot be written",
            [_unused(form, which, option, used) for option in unused],
        )


def _unused(form: str, which: str, option: str, used: Collection[str]) -> Finding:
    own = _parts_with(form, option)
    if own:
        fix = f"omit it, or add {' or '.join(f'--what {part}' for part in own)}, which uses it"
    elif option in _OF_STATE and "--hosts" in used:
        fix = f"let `rocefab place {option}` choose the hosts, and name them with --hosts"
    else:
        fix = f"omit it; it is used by {listed(_forms_with(option), 'and')}"
    return Finding("PLC038", Severity.ERROR, f"{which} does not use {option}", fix, field=option)


def _parts_with(form: str, option: str) -> list[str]:
    exporter = exporters[form]
    return [part for part in exporter.parts if option in options_of(exporter, part)]


def _forms_with(option: str) -> list[str]:
    """Return the forms that use an option, with the parts where not all do."""
    having = {form: _parts_with(form, option) for form in exporters}
    return [
        form if len(parts) == len(exporters[form].parts) else f"{form} ({', '.join(parts)})"
        for form, parts in having.items()
        if parts
    ]
