"""The files of an adoption: overrides beside those of the user, whose files stay as they are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.audit.adoption.values import nested
from fabric.core import hostlist
from fabric.core.errors import InputError, OutputFolderError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import printable
from fabric.core.user_files import read_text
from fabric.exchange.yaml_text import dump
from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile
from fabric.intent.inventory import Located
from fabric.intent.yaml.file import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.workflow.adopt_policy import Overrides
    from fabric.workflow.project import Project

DEVICES, HOSTS = "devices/adopted.yaml", "hosts/adopted.yaml"
#: What systems need before anything is adopted; it is never written, and stands before `DEVICES`.
_NEEDED = "devices/adopt-needed.yaml"
_MARK = "# Written by `rocefab adopt`"
_HEAD = f"""{_MARK} from running configurations; its next run replaces this file.
# To undo the adoption, remove the file.
"""


def with_needs(project: Project, needs: Overrides) -> Project:
    """Return an inventory in which systems have values that they take; other overrides count."""
    if not needs:
        return project
    return _with(project, {_NEEDED: texts(needs, project)[DEVICES]})


def texts(overrides: Overrides, project: Project) -> dict[str, str]:
    """Return the text of each file: one entry for equal overrides, most devices first."""
    result = {}
    for path, kind, names in (
        (DEVICES, "devices", project.devices),
        (HOSTS, "hosts", project.hosts),
    ):
        own = {name: overrides[name] for name in names if name in overrides}
        if own:
            result[path] = f"{_HEAD}{dump({kind: _entries(own)})}"
    return result


def _entries(overrides: Overrides) -> list[dict[str, Any]]:
    members: dict[tuple[tuple[str, Any], ...], list[str]] = defaultdict(list)
    for name, fields in overrides.items():
        members[tuple(fields.items())].append(name)
    ordered = sorted(members.items(), key=lambda item: (-len(item[1]), item[1]))
    return [
        {
            "names": hostlist.fold_inside(names),
            "lossless": nested(dict(fields) | _listed(dict(fields))),
        }
        for fields, names in ordered
    ]


def _listed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the classes of an override as a file has them."""
    classes = fields.get("classes")
    return {"classes": [one.model_dump(exclude_unset=True) for one in classes]} if classes else {}


def without_files(project: Project) -> Project:
    """Return an inventory without what an earlier adoption wrote.

    Raises
    ------
    InputError
        When a file of that name is not of an adoption.
    """
    folder = Path(project.intent.folder)
    foreign = [path for path in (DEVICES, HOSTS) if not _is_own(folder / path)]
    if foreign:
        findings = [
            Finding(
                "INT020",
                Severity.ERROR,
                "this file was not written by `rocefab adopt`, which would replace it",
                "rename it",
                position=Position(str(folder / path)),
            )
            for path in foreign
        ]
        raise InputError("nothing was adopted", findings)
    return _changed(project, {})


def _is_own(path: Path) -> bool:
    """Return whether a file may be replaced: it is absent, or of an earlier adoption."""
    if not path.exists():
        return not path.is_symlink()
    return read_text(path, FileKind.INVENTORY).startswith(_MARK)


def with_files(project: Project, files: Mapping[str, str]) -> Project:
    """Return an inventory as it would be with these files."""
    return _changed(project, files)


def _changed(project: Project, files: Mapping[str, str]) -> Project:
    intent = project.intent
    shown = {path: printable(str(Path(intent.folder, path))) for path in (DEVICES, HOSTS)}
    devices = tuple(one for one in intent.devices if one.document.file != shown[DEVICES])
    hosts = tuple(one for one in intent.hosts if one.document.file != shown[HOSTS])
    return _with(project.of(replace(intent, devices=devices, hosts=hosts)), files)


def _with(project: Project, files: Mapping[str, str]) -> Project:
    intent = project.intent
    devices, hosts = [*intent.devices], [*intent.hosts]
    for path, text in files.items():
        document = parse_yaml(text.encode(), printable(str(Path(intent.folder, path))))
        if path != HOSTS:
            items = DevicesFile.model_validate(document.data).devices
            devices += [Located(one, document, ("devices", n)) for n, one in enumerate(items)]
        else:
            machines = HostsFile.model_validate(document.data).hosts
            hosts += [Located(one, document, ("hosts", n)) for n, one in enumerate(machines)]
    devices.sort(key=lambda one: one.document.file)
    hosts.sort(key=lambda one: one.document.file)
    return project.of(replace(intent, devices=tuple(devices), hosts=tuple(hosts)))


def write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write the files of an adoption into an inventory; one that is no longer needed is removed.

    Raises
    ------
    OutputFolderError
        When a file cannot be written.
    """
    try:
        for path, text in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            write_whole(folder / path, text.encode())
        for path in {DEVICES, HOSTS} - files.keys():
            (folder / path).unlink(missing_ok=True)
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror or error}"
        raise OutputFolderError(message) from error
    return [folder / path for path in files]
