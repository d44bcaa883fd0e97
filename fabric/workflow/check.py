"""check: run the rules over an inventory, or over SONiC configurations from elsewhere."""

from __future__ import annotations

import difflib
from dataclasses import replace
from datetime import datetime
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.audit.pair_rules import PAIR_RULES
from fabric.core.counts import counted
from fabric.core.errors import FabricError, InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.json_text import parse_json, said
from fabric.core.user_files import read_text
from fabric.defects.book import facts
from fabric.intent.documents import MAIN_FILE
from fabric.intent.site import one_site
from fabric.systems.sonic.config_db import SonicConfig
from fabric.systems.sonic.config_db_forms import foreign_form
from fabric.validate.defects import aged
from fabric.validate.json_lines import key_positions
from fabric.validate.like_findings import like_findings
from fabric.validate.report import report_in
from fabric.validate.reported import Reported
from fabric.validate.rule import SwitchRule, by_port
from fabric.validate.runner import Outcome, all_rules, gathered, run, together
from fabric.validate.waivers import Decisions
from fabric.validate.world import World
from fabric.workflow.stages import RENDERING, unkept
from fabric.workflow.work import same

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from fabric.core.findings import Ignored
    from fabric.defects.fact import Fact
    from fabric.systems.sonic.yang_judge import Yang
    from fabric.validate.rule import Rule
    from fabric.workflow.project import Project
    from fabric.workflow.stages import Checked

__all__ = [
    "Outcome",
    "after_errors",
    "check",
    "check_sonic_files",
    "refuse",
    "refuse_errors",
    "report",
    "unreadable",
    "why_together",
    "with_ages",
    "yang_of",
]

#: How rules about several fabrics begin.
_OF_SITES = "SIT"


class Handling(NamedTuple):
    """What becomes of the files of the switches that a check renders.

    Parameters
    ----------
    then : callable
        Where a switch was rendered: from what the rules say of it to what is returned.
    again : callable or None
        From what an earlier run kept of a switch to that; None renders all anew.
    take : callable
        What is done with all of them in the end, by name.
    """

    then: Callable[[Checked], Checked]
    again: Callable[[Checked], Checked | None] | None
    take: Callable[[dict[str, Checked]], object]


#: Files are dropped where they are rendered.
DROPPED = Handling(unkept, same, len)


def kept_by(project: Project) -> Handling:
    """Return the handling by which a project keeps the files of its switches."""

    def take(checked: dict[str, Checked]) -> None:
        if all(one.files for one in checked.values()):
            vars(project)["switch_artefacts"] = {name: one.files for name, one in checked.items()}

    return Handling(same, None, take)


def check(project: Project, ignore: Sequence[str] = (), files: Handling | None = None) -> Outcome:
    """Run the rules over a project, then over what it renders.

    While the inventory has errors nothing is rendered: its output would repeat them.

    Parameters
    ----------
    ignore : sequence of str
        Rules whose findings do not count, such as ``["QOS008"]``.
    files : Handling, optional
        What becomes of the files of the switches; they are dropped by default.

    Raises
    ------
    InputError
        When ``ignore`` names a rule that does not exist, or the fabric does not fit its pools.
    """
    own = {fact.id: fact for fact in project.intent.defects}
    _refuse_unknown(ignore, own)
    decisions = Decisions.of(project.intent)
    outcome = run(World(project.model), (), _whole_rules()).without(ignore)
    outcome = outcome.merged(Outcome(project.intent.warnings, (), outcome.skipped, ()))
    renders = not outcome.at_least(Severity.ERROR)
    handling = (files or DROPPED) if renders else Handling(same, None, len)
    checked = project.work.each(
        project.checking(renders=renders), project.devices.rows, handling.then, handling.again
    )
    handling.take(checked)
    outcome = _with_switches(outcome, [*checked.values()], ignore, decisions)
    problems = tuple(decisions.problems(lambda: _severities(project), outcome.waived))
    outcome = with_ages(outcome, own).without(own.keys() & {*ignore})
    return outcome.merged(Outcome(problems, (), outcome.skipped, ()).without(ignore))


def with_ages(outcome: Outcome, own: Mapping[str, Fact] | None = None) -> Outcome:
    """Return an outcome in which facts about defects that nobody confirmed for long say so.

    Parameters
    ----------
    own : mapping, optional
        Facts of an inventory, by id.
    """
    today = datetime.now().astimezone().date()
    known = {**facts(), **(own or {})}
    return replace(outcome, findings=tuple(aged(outcome.findings, known, today)))


def _whole_rules() -> list[Rule]:
    return [rule for rule in all_rules() if not isinstance(rule, SwitchRule)]


def _severities(project: Project) -> dict[str, Severity]:
    from fabric.report.rules import severities

    return severities(project.intent.defects)


def _with_switches(
    outcome: Outcome, checked: Sequence[Checked], ignore: Sequence[str], decisions: Decisions
) -> Outcome:
    """Return an outcome with what the rules say of the switches, and of their files."""
    single = [rule.id for rule in all_rules() if isinstance(rule, SwitchRule)]
    said = _of_switches(checked, single, decisions)
    outcome = outcome.merged(replace(said, skipped=(*outcome.skipped, *single)).without(ignore))
    if outcome.at_least(Severity.ERROR):
        return outcome
    failure = next((one.failure for one in checked if one.failure), None)
    if failure:
        return outcome.merged(Outcome((failure,), (), outcome.skipped, ()))
    outcomes = [one.outcome for one in checked if one.outcome]
    if not outcomes:
        return outcome.merged(run(World()).without(ignore))
    verdict = together(outcomes).without(ignore).decided(decisions)
    return outcome.merged(replace(verdict, findings=tuple(by_port([*verdict.findings]))))


def _of_switches(checked: Sequence[Checked], rules: Sequence[str], decisions: Decisions) -> Outcome:
    """Return what the rules about single switches say of all of them."""
    broken = {rule: reason for one in reversed(checked) for rule, reason in one.broken.items()}
    findings = [
        finding for one in checked for finding in one.findings if finding.rule not in broken
    ]
    kept, waived = decisions.apply(findings)
    ran = tuple(rule for rule in rules if rule not in broken)
    return Outcome(tuple(gathered(kept)), ran, (), tuple(broken.items()), tuple(waived))


def check_sonic_files(
    files: Sequence[Path], ignore: Sequence[str] = (), yang_models: Path | None = None
) -> Outcome:
    """Run the rules that look at SONiC configurations over files.

    Parameters
    ----------
    yang_models : Path, optional
        Folder of YANG models.

    Raises
    ------
    InputError
        When a file is not a CONFIG_DB dump, there is no model in ``yang_models``, or ``ignore``
        names a rule that does not exist.
    """
    _refuse_unknown(ignore)
    yang = yang_of(yang_models)
    configs = []
    for file in files:
        text = read_text(file, FileKind.SONIC_CONFIG)
        tables = _tables(file, text)  # refuses what is no JSON, which the places are not made for
        configs.append(SonicConfig(str(file), tables, key_positions(text, str(file))))
    return with_ages(run(World(configurations=tuple(configs), yang=yang)).without(ignore))


def yang_of(folder: Path | None) -> Yang:
    """Return what judges by the models of a folder, or what says that there are none.

    Raises
    ------
    InputError
        When there is a folder without any model.
    """
    from fabric.systems.sonic.yang_judge import Yang, has_models

    if folder and not (has_models(folder) or any(map(has_models, _folders(folder)))):
        message = (
            f"--yang-models: {folder} contains no sonic-*.yang files and no folder with such files"
        )
        fix = "copy /usr/local/yang-models from a switch into it"
        finding = Finding("INT001", Severity.ERROR, message, fix, "", Position(str(folder)))
        raise InputError("no YANG models", [finding])
    return Yang(folder)


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*") if path.is_dir()]


def _tables(file: Path, text: str) -> dict[str, Any]:
    """Return the tables of a text; a key that stands twice is refused, as its first value is lost.

    Raises
    ------
    InputError
        When it is not a CONFIG_DB dump.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise _not_config_db(Position(str(file)), f"key {twice!r} appears twice in one object")
        return data

    try:
        data: dict[str, Any] = parse_json(text, unique)
    except JSONDecodeError as error:
        place = Position(str(file), error.lineno, error.colno)
        raise _not_config_db(place, said(error)) from error
    if reason := foreign_form(data):
        raise _not_config_db(Position(str(file)), reason)
    return data


def _not_config_db(place: Position, reason: str) -> InputError:
    message = f"not a config_db.json: {reason}"
    finding = Finding("INT001", Severity.ERROR, message, "specify a CONFIG_DB dump", "", place)
    return InputError(f"1 error in {place.file}", [finding])


def _refuse_unknown(ignore: Sequence[str], own: Iterable[str] = ()) -> None:
    if isinstance(ignore, str):
        message = f"ignore is the text {ignore!r}, where a list of rules is needed"
        finding = Finding("INT022", Severity.ERROR, message, f"write [{ignore!r}]")
        raise InputError("nothing was checked", [finding])
    known = [RENDERING, *(rule.id for rule in all_rules()), *PAIR_RULES, *own]
    findings = []
    for name in ignore:
        if name not in known:
            close = difflib.get_close_matches(name.upper(), known, n=1)
            fix = f"did you mean {close[0]!r}?" if close else "`rocefab show rules` lists them"
            message = f"cannot ignore rule {name!r}: no such rule"
            findings.append(Finding("INT022", Severity.ERROR, message, fix))
    if findings:
        raise InputError("nothing was checked", findings)


def unreadable(error: InputError) -> Outcome:
    """Return the outcome of a check that ended before any rule ran."""
    return Outcome(error.findings, (), (), ())


def refuse_errors(project: Project) -> Outcome:
    """Check a project, which keeps its files, and refuse it when there are errors.

    Raises
    ------
    InputError, FabricError
        As `refuse` does.
    """
    return refuse(project, check(project, files=kept_by(project)))


def refuse(project: Project, outcome: Outcome) -> Outcome:
    """Return the outcome of a check, unless it has errors.

    Raises
    ------
    InputError
        With the findings; nothing may be rendered or pushed then.
    FabricError
        When a rule failed itself, so that nobody knows.
    """
    errors = outcome.at_least(Severity.ERROR)
    if errors:
        message = (
            f"{counted(len(errors), 'error')} in {project.intent.folder}; no changes were made"
        )
        names = project.site.fabrics if project.site else ()
        raise InputError("; ".join([message, *why_together(errors, names)]), errors)
    if outcome.broken:
        name, reason = outcome.broken[0]
        raise FabricError(f"rule {name} could not run ({reason}); no changes were made")
    return outcome


def after_errors(project: Project, step: str) -> str:
    """Return the next step of a user, after the errors that `plan` rejects, where there are any."""
    try:
        errors = check(project).at_least(Severity.ERROR)
    except InputError as error:
        errors = tuple(error.findings)
    if not errors:
        return step
    lines = [str(group.first) for group in like_findings(errors)]
    count = counted(len(errors), "error")
    return "\n".join([*lines, f"`rocefab plan` rejects {count}: correct this first, then {step}"])


def why_together(findings: Iterable[Finding], names: Collection[str]) -> list[str]:
    """Return why the fabrics of a site are judged together, where rules about sites say something.

    One sentence, or none.
    """
    of_site = any(finding.rule.startswith(_OF_SITES) for finding in findings)
    return [one_site(names)] if of_site and names else []


def report(
    outcome: Outcome,
    form: str,
    inventory: Path,
    fail_on: Severity = Severity.ERROR,
    notes: Sequence[str] = (),
    ignored: Ignored | None = None,
    *,
    full: bool = False,
) -> str:
    """Return an outcome in one of the report forms.

    Parameters
    ----------
    form : str
        A form of ``rocefab check --format``, such as ``text``, ``json`` or ``sarif``.
    inventory : Path
        Inventory folder, or the file that was judged; a finding without a place stands there.
    fail_on : Severity
        From which severity on a finding is a failure.
    notes : sequence of str
        What else is said of the inventory.
    ignored : Ignored, optional
        Rules that do not count, and who says that.
    full : bool
        Whether like findings are listed one by one.

    Raises
    ------
    InputError
        When there is no such form; the message names all.
    """
    file = inventory / MAIN_FILE if inventory.is_dir() else inventory
    rules = [*all_rules(), *(rule for name, rule in PAIR_RULES.items() if name in outcome.checked)]
    asked = Reported(
        outcome, rules, fail_on, str(file), notes=tuple(notes), full=full, ignored=ignored
    )
    return report_in(form)(asked)
