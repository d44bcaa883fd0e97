"""export: files for schedulers, launchers, Kubernetes and programs that describe networks."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.exports import About, exporters, refused, with_part
from fabric.core.exports import export as write_parts
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Severity
from fabric.core.shown import closest, few
from fabric.core.user_files import read_text
from fabric.exchange.forms import importers
from fabric.exchange.lab import Lab
from fabric.exchange.network import plant
from fabric.intent.yaml.file import load_yaml
from fabric.placement.environment import read_environment
from fabric.placement.export import JobWords, Order
from fabric.placement.exporters.node_health import NodeHealth
from fabric.placement.job_host import JobImage
from fabric.render.output import write
from fabric.report.table import Table
from fabric.workflow.check import refuse_errors
from fabric.workflow.export_options import refuse_unused
from fabric.workflow.exporters.ansible import AnsibleOrder
from fabric.workflow.exporters.bom import PartsOrder
from fabric.workflow.exporters.rights import Account
from fabric.workflow.exporters.ztp import Words, ztp
from fabric.workflow.pairs import pairs
from fabric.workflow.place import host_names
from fabric.workflow.rails import Rails, rails
from fabric.workflow.state_file import read_state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fabric.core.exports import Exported
    from fabric.exchange.plant import Plant
    from fabric.placement.job_host import UserValue
    from fabric.workflow.exporters.ztp import Ztp
    from fabric.workflow.project import Project
    from fabric.workflow.recording import Recording


@dataclass(frozen=True)
class Request:
    """What the user asks for, as the command line takes it.

    Parameters
    ----------
    parts : tuple of str
        Parts of the export; empty is the usual ones.
    environment, template : Path or None
        Files of the user whose values stay as they are.
    served : Path or None
        What ``kubectl api-versions`` printed.
    lab_images : tuple of str
        ``KIND=IMAGE`` of a virtual lab.
    avoid : tuple of Path
        Files of what is not as planned; older than ``max_age_s`` is stale.
    spare_percent : int
        Share of spare parts in a parts list.
    boot : Words or None
        How devices start from the box.
    connections : Path or None
        How devices are reached, for ansible and rails.
    recording : Recording or None
        Readings of which the rails are taken; None reads the devices.
    parallel : int
        Devices that are read at the same time; 0 chooses.
    given : tuple of str
        Options that the command line names; one that no part uses is rejected.
    """

    nodes: int = 1
    gpus_per_node: int | None = None
    excluded: str = ""
    hosts: str = ""
    tenant: str = ""
    degraded: str = ""
    parts: tuple[str, ...] = ()
    nccl_version: str | None = None
    lossless_class: str | None = None
    environment: Path | None = None
    template: Path | None = None
    served: Path | None = None
    job_name: str = ""
    image: str = ""
    command: tuple[str, ...] = ()
    account: str = ""
    lab_images: tuple[str, ...] = ()
    avoid: tuple[Path, ...] = ()
    max_age_s: float = 900.0
    spare_percent: int = 0
    boot: Words | None = None
    connections: Path | None = None
    recording: Recording | None = None
    parallel: int = 0
    given: tuple[str, ...] = ()


def forms() -> Table:
    """Return all export formats with their parts: of jobs, of the fabric itself, and of rights."""
    rows = [(name, one.title, ", ".join(one.parts)) for name, one in exporters.items()]
    return Table(("format", "what", "parts"), tuple(rows))


def _named(form: str, request: Request) -> tuple[str, Request]:
    """Return a format and its request; the name of a part that one format has stands for both.

    Raises
    ------
    InputError
        When it is no format, and no or several formats have such a part.
    """
    if form in exporters:
        return form, request
    having = with_part(form)
    if len(having) == 1 and set(request.parts) <= {form}:
        return having[0], replace(request, parts=(form,))
    if having:
        ways = " or ".join(f"`rocefab export {name} --what {form}`" for name in having)
        others = "".join(f", without --what {part[:40]}" for part in request.parts)
        message = f"{form!r} is a part, not an export format"
        raise refused("PLC003", message, f"use {ways}{others if len(having) == 1 else ''}")
    fix = f"{_hint(form)}`rocefab export list` prints all of them"
    raise refused("PLC003", f"unknown export format {form!r}", fix)


def _hint(form: str) -> str:
    """Return what an unknown format may be: one that is read, or the program that a format names.

    What is spelled alike is left out where the word is the name of another program.
    """
    for_program = [
        f"`rocefab export {name}` ({one.title})"
        for name, one in exporters.items()
        if form.casefold() in re.findall(r"\w+", one.title.casefold())
    ]
    hints = [f"it is read, by `rocefab import {form}`"] if form in importers else []
    if for_program:
        hints.append(f"files for {form}: {' and '.join(for_program)}")
    if hints:
        return f"{'; '.join(hints)}; "
    known = [*exporters, *(part for name in exporters for part in exporters[name].parts)]
    close = closest(form, known)
    return f"did you mean {close}? " if close else ""


def export(project: Project, form: str, request: Request) -> tuple[str, tuple[Finding, ...]]:
    """Return the text of an export, and what the user should know about it.

    Raises
    ------
    InputError
        When there is no such form or part, the inventory does not pass its check, or the fabric
        or the job does not fit the form.
    """
    form, request = _named(form, request)
    done = _export(project, form, request)
    texts, separator = [file.text for file in done.files], exporters[form].separator
    if len(texts) > 1 and separator is None:
        names = few([*dict.fromkeys(file.path for file in done.files)])
        message = f"{counted(len(texts), 'file')} cannot be printed as one: {names}"
        part = "" if request.parts else "select one part with --what, or "
        fix = f"{part}specify a folder with --out"
        raise InputError("too many files", [Finding("PLC009", Severity.ERROR, message, fix)])
    return (separator or "").join(texts), done.notes


def export_to(
    project: Project, form: str, request: Request, out: Path, *, force: bool = False
) -> tuple[list[str], tuple[Finding, ...]]:
    """Write an export below a folder; return the paths, and what the user should know.

    Raises
    ------
    InputError
        As for `export`, and when the folder has the name of a file; nothing is written then.
    OutputFolderError
        When the folder holds files of somebody else, or edited ones, and ``force`` is not given.
    """
    done = _export(project, *_named(form, request))
    paths = [file.path for file in done.files]
    _refuse_file_name(out, paths)
    write(done.files, out, force=force)
    return paths, done.notes


def _refuse_file_name(out: Path, paths: list[str]) -> None:
    """Reject a new folder that is named as one of the files."""
    suffixes = {path[path.rfind(".") :].lower() for path in paths if "." in path}
    if out.suffix.lower() not in suffixes or out.is_dir():
        return
    folder = f"name a folder, such as --out {out.with_suffix('')}"
    fix = f"write `> {out}` instead of --out, or {folder}" if len(paths) == 1 else folder
    message = f"{out} has the name of a file, but --out is a folder"
    raise refused("PLC040", message, fix, field="--out")


def _export(project: Project, form: str, request: Request) -> Exported:
    exporter = exporters[form]
    refuse_unused(form, exporter.written(request.parts), request.given)
    refuse_errors(project)
    done = write_parts(_SUBJECTS[exporter.about](project, request), exporter, request.parts)
    nothing = exporter.about is About.JOB and not done.files
    return replace(done, notes=(*done.notes, _nothing(request))) if nothing else done


def _order(project: Project, request: Request) -> Order:
    template = request.template
    return Order(
        fabric=project.fabric,
        nodes=request.nodes,
        gpus_per_node=request.gpus_per_node,
        excluded=host_names(request.excluded) if request.excluded else (),
        hosts=tuple(host_names(request.hosts)) if request.hosts else (),
        tenant=request.tenant,
        job=JobImage(request.nccl_version, request.lossless_class),
        users=_users(request.environment) if request.environment else {},
        words=JobWords(request.job_name, request.image, request.command),
        template=load_yaml(template, str(template)) if template else None,
        served=frozenset(read_text(request.served, FileKind.ENVIRONMENT).split())
        if request.served
        else None,
        degraded=frozenset(host_names(request.degraded) if request.degraded else ()),
    )


def _fabric(project: Project, _: Request) -> Plant:
    return plant(project.fabric)


def _lab(project: Project, request: Request) -> Lab:
    return Lab(plant(project.fabric), pairs(request.lab_images, "--lab-image"))


def _account(project: Project, request: Request) -> Account:
    return Account(project, request.account)


def _parts(project: Project, request: Request) -> PartsOrder:
    return PartsOrder(project.fabric, request.spare_percent)


def _ansible(project: Project, request: Request) -> AnsibleOrder:
    return AnsibleOrder(project, request.connections)


def _boot(project: Project, request: Request) -> Ztp:
    return ztp(project, request.boot or Words("rocefab"))


def _rails(project: Project, request: Request) -> Rails:
    judged = rails(project, request.connections, request.recording, request.parallel)
    excluded = frozenset(host_names(request.excluded) if request.excluded else ())
    return replace(judged, excluded=excluded)


def _nodes(project: Project, request: Request) -> NodeHealth:
    if not request.avoid:
        message = "the state of the fabric is missing"
        raise refused("PLC034", message, "name a file with --avoid-state", field="--avoid-state")
    state = read_state(request.avoid, project.fabric, request.max_age_s)
    excluded = frozenset(host_names(request.excluded) if request.excluded else ())
    return NodeHealth(project.fabric, state.conditions, excluded, request.image)


_SUBJECTS: Mapping[About, Callable[[Project, Request], object]] = {
    About.JOB: _order,
    About.FABRIC: _fabric,
    About.MONITORING: _fabric,
    About.LAB: _lab,
    About.NODES: _nodes,
    About.PARTS: _parts,
    About.ACCOUNT: _account,
    About.ANSIBLE: _ansible,
    About.BOOT: _boot,
    About.RAILS: _rails,
}


def _nothing(request: Request) -> Finding:
    what = ", ".join(request.parts) or "this export"
    message = f"nothing was written: this inventory needs no files for {what}"
    fix = "see host.container_mode, which sets how pods access the NICs"
    return Finding("PLC017", Severity.WARNING, message, fix)


def _users(path: Path) -> dict[str, UserValue]:
    return read_environment(read_text(path, FileKind.ENVIRONMENT), str(path))
