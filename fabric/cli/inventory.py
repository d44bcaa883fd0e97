"""check, render, explain."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import completion, options, output
from fabric.cli.config import ignored_rules
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import FailOn, ReportForm, argument, option, was_named
from fabric.core.counts import counted

if TYPE_CHECKING:
    from fabric.core.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab check inventory/demo --format sarif > check.sarif")(check)
    app.command(epilog="Example: rocefab render inventory/demo --out out/demo")(render)
    app.command(epilog="Example: rocefab explain inventory/demo su1-rail0 Ethernet0")(explain)


def check(
    context: typer.Context,
    inventory: options.Inventory = Path(),
    form: options.CheckForm = ReportForm.TEXT,
    fail_on: options.FailLevel = FailOn.ERROR,
    ignore: options.Ignore = None,
    sonic_config: Annotated[
        list[Path] | None,
        option(
            "Check this config_db.json instead of an inventory; may be repeated.", "SONIC_CONFIG"
        ),
    ] = None,
    nic_profile: Annotated[
        list[Path] | None,
        option(
            "Judge what others wrote on NICs, a file or a folder, against the leaf ports; may be "
            "repeated.",
            "NIC_PROFILE",
        ),
    ] = None,
    changed_since: Annotated[
        str,
        option(
            "List only findings that this git revision does not have, and those that fail.",
            "CHANGED_SINCE",
            metavar="REVISION",
        ),
    ] = "",
    yang_models: options.YangModels = None,
    full: options.FullList = False,
    cache: options.Cache = None,
    fresh: options.Fresh = False,
    workers: options.Workers = "0",
) -> None:
    """Validate an inventory against all rules.

    Rules cover the inventory and the design derived from it. For a site, a folder with fabrics/,
    every fabric is checked. With --changed-since the verdict is the same, the list is shorter.
    With --nic-profile, settings of NICs by operators and tools are compared with their leaf ports.
    The last lines name the systems of each role, models whose name selects one of two systems, and
    the commands of the inventory that a change starts.
    Findings that differ in names and numbers alone are shown as one, with a count; --full and the
    forms for programs list all.

    Exit codes: 0, 2, 3, 4.
    """
    from fabric.core.errors import InputError
    from fabric.core.findings import Severity
    from fabric.report.systems import commands, systems
    from fabric.workflow import check as workflow
    from fabric.workflow import since, site
    from fabric.workflow.work import work_of

    if sonic_config:
        named = was_named(context, "inventory")
        _refuse_inventory(changed_since, nic_profile or [], named=named)
    if nic_profile and site.is_site(inventory):
        message = f"{inventory} holds several fabrics; name one of them"
        raise typer.BadParameter(message, param_hint="--nic-profile")
    severity = Severity[fail_on.name]
    judged = sonic_config[0] if sonic_config else inventory
    notes: list[str] = []
    try:
        if sonic_config:
            outcome = workflow.check_sonic_files(sonic_config, ignore or [], yang_models)
        else:
            _note_models(context)
            work = work_of(cache, fresh=fresh, workers=workers)
            projects = site.projects_in(inventory, work)
            if nic_profile or "" not in projects:
                outcome = site.check_projects(projects, ignore or [], nic_profile or [])
            else:
                outcome = workflow.check(projects[""], ignore or [])
            fabrics = [project.fabric for project in projects.values()]
            notes = [*systems(fabrics), *commands(fabrics)]
            notes += site.why_together(outcome.findings, site.names_of(projects))
            if changed_since:
                outcome, known = since.without_known(
                    outcome, inventory, changed_since, work, ignore or [], severity
                )
                output.note(f"{counted(known, 'finding')} of {changed_since} not listed")
    except InputError as error:
        if form is not ReportForm.TEXT:  # a program shall see on which line it went wrong
            unread = workflow.unreadable(error)
            output.data(workflow.report(unread, form.value, judged, severity))
        raise _unread(error) from None
    ignored = ignored_rules(context, ignore)
    output.findings(
        workflow.report(outcome, form.value, judged, severity, notes, ignored, full=full)
    )
    _say(notes, form)
    if outcome.at_least(severity):
        raise CommandExit(Exit.FINDINGS)
    if outcome.broken:
        raise CommandExit(Exit.DEVICE)


def _unread(error: InputError) -> InputError:
    """Return an error that says that no rule was checked, where a line of a file is wrong."""
    from fabric.core import errors

    if not any(one.position and one.position.line for one in error.findings):
        return error
    message = f"{error}; rules are checked once this is corrected, and may find more"
    return errors.InputError(message, error.findings)


def _say(notes: list[str], form: ReportForm) -> None:
    """Print notes below a text; the other forms have them inside."""
    for note in notes if form is ReportForm.TEXT else ():
        output.note(note)


def _note_models(context: typer.Context) -> None:
    if was_named(context, "yang_models"):
        output.note("--yang-models counts for nothing without --sonic-config")


def _refuse_inventory(changed_since: str, nic_profile: list[Path], *, named: bool) -> None:
    """Refuse what needs an inventory where files are judged; raise typer.BadParameter."""
    for given, hint, message in (
        (
            named,
            "--sonic-config",
            "--sonic-config and INVENTORY are mutually exclusive; pass one of them",
        ),
        (
            bool(changed_since),
            "--changed-since",
            "a revision holds an inventory; --sonic-config judges files",
        ),
        (
            bool(nic_profile),
            "--nic-profile",
            "NICs are compared with an inventory; --sonic-config judges files",
        ),
    ):
        if given:
            raise typer.BadParameter(message, param_hint=hint)


def render(
    inventory: options.Inventory = Path(),
    out: Annotated[Path, option("Output folder.", "OUT")] = Path("out"),
    *,
    force: Annotated[
        bool, option("Overwrite files that rocefab did not write or that were edited.")
    ] = False,
    cache: options.Cache = None,
    fresh: options.Fresh = False,
    workers: options.Workers = "0",
    form: options.FormatOption = options.Format.TEXT,
) -> None:
    """Render the configuration of every switch and host.

    Nothing is written unless the inventory passes `check`. For a site, a folder with fabrics/,
    each fabric is written to a folder with its name.

    Exit codes: 0, 2.
    """
    from fabric.workflow import site
    from fabric.workflow.project import Project
    from fabric.workflow.render import render_files, without_mac
    from fabric.workflow.work import work_of

    work = work_of(cache, fresh=fresh, workers=workers)
    projects = {}
    if site.is_site(inventory):
        projects = site.projects_of(inventory, work)
        written = site.render_site(projects, out, force=force)
        where = f"{out}/ in {', '.join(projects)}"
    else:
        projects = {"": Project(inventory, work)}
        written = {"": render_files(projects[""], out, force=force)}
        where = f"{out}"
    if form is options.Format.JSON:
        output.as_json([row for prefix, one in written.items() for row in one.rows(prefix)])
    else:
        counts: Counter[str] = Counter(
            state for one in written.values() for state in one.states.values()
        )
        states = ("added", "changed", "removed", "unchanged")
        output.note(
            f"wrote {where}: "
            + ", ".join(f"{counted(counts[state], 'file')} {state}" for state in states)
        )
        if bare := sum(map(without_mac, projects.values())):
            output.note(
                f"warning: config_db.json of {counted(bare, 'SONiC switch')} has no mac, and no "
                "VLAN and no address works without it: `rocefab apply` keeps that of the switch; "
                "to load a file as it is, set `mac` of the device"
            )


def _explained(words: list[str]) -> tuple[Path, str, str]:
    """Return inventory, device and text; the inventory may be omitted."""
    from fabric.intent.documents import MAIN_FILE

    first = options.inventory_folder(Path(words[0]))
    folder = Path(os.environ.get("ROCEFAB_INVENTORY", "."))
    last = Path(words[-1])
    if len(words) <= 2 and (last / MAIN_FILE).is_file():  # noqa: PLR2004
        named = words[0] if len(words) > 1 else "DEVICE"
        message = (
            f"{last} is an inventory; name the device behind it: rocefab explain {last} {named}"
        )
        raise typer.BadParameter(message, param_hint="DEVICE")
    if len(words) == 3 or (len(words) == 2 and first.is_dir()):  # noqa: PLR2004
        folder, *words = first, *words[1:]
    if not 1 <= len(words) <= 2:  # noqa: PLR2004
        raise typer.BadParameter("specify a device and, optionally, a text", param_hint="DEVICE")
    return options.inventory_folder(folder), words[0], words[1] if len(words) > 1 else ""


def explain(
    words: Annotated[
        list[str],
        argument(
            "Inventory folder (default: ROCEFAB_INVENTORY or the current folder); a switch "
            "or host; a port, a table, field or line of its configuration, or a field of the "
            "inventory. Or a rule ID, or that of a known defect.",
            metavar="[INVENTORY] DEVICE [TEXT] | RULE | DEFECT",
            autocompletion=completion.explained,
        ),
    ],
    form: options.FormatOption = options.Format.TEXT,
) -> None:
    """Explain a line, a port budget, a rule or a defect.

    For a switch port, shows the lossless budget: headroom term by term, thresholds,
    ECN and watchdog, at both ends of the cable.

    Exit codes: 0, 2.
    """
    from fabric.intent.documents import MAIN_FILE
    from fabric.report.budget import find_port, port_budget
    from fabric.report.defects import defect_details, is_defect_id
    from fabric.report.explain_text import texts
    from fabric.report.rules import is_like_rule_id, is_rule_id, no_rule, rule_details
    from fabric.workflow.explain import explain as workflow
    from fabric.workflow.project import Project

    if len(words) <= 2 and is_defect_id(words[-1]):  # noqa: PLR2004 - an inventory, and its fact
        folder = options.inventory_folder(Path(words[0])) if len(words) > 1 else None
        output.records(defect_details(words[-1], folder), form)
        return
    if len(words) <= 2 and is_rule_id(words[-1]):  # noqa: PLR2004 - a rule is that of any inventory
        output.records(rule_details(words[-1]), form)
        return
    folder, device, text = _explained(words)
    may_be_rule = is_like_rule_id(device) and not text
    if may_be_rule and not (folder / MAIN_FILE).is_file():
        raise no_rule(device)
    project = Project(folder)
    if may_be_rule and device not in {*project.devices, *project.hosts}:
        raise no_rule(device)
    port = find_port(project, device, text)
    if port:
        output.records(port_budget(project, project.devices[device], port), form)
        return
    answers = workflow(project, device, text)
    if form is options.Format.JSON:
        output.as_json([item.as_dict() for item in answers])
        return
    for text_of_like in texts(answers):
        output.data(text_of_like + "\n")
