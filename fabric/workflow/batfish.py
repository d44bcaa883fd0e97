"""A proof by Batfish, kept by the content of what it was given."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.content import content_of
from fabric.core.findings import Severity
from fabric.prove.breach import Breach
from fabric.workflow.configurations import texts_of
from fabric.workflow.stages import Keep, Stage
from fabric.workflow.work import same

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.observe.configuration import Configured
    from fabric.prove.batfish.judge import Judgement
    from fabric.prove.batfish.snapshot import Subject
    from fabric.topology.clos import Outage
    from fabric.workflow.project import Project

    Failures = list[tuple[str, Outage]]
    Progress = Callable[[str, str], None]


class Side(NamedTuple):
    """An inventory before or after a change, what its files say, and the folder with them."""

    project: Project
    files: dict[str, Configured]
    folder: Path | None


def judged(
    address: str,
    deadline_s: float,
    sides: tuple[Side, Side | None],
    failures: Failures,
    progress: Progress,
    say: Callable[[str], None],
) -> Judgement:
    """Return what Batfish says of files, and of what they change of those before.

    The same files, design and failures before the same version of Batfish are proved once.

    Parameters
    ----------
    address : str
        ``HOST`` or ``HOST:PORT`` of the service.
    deadline_s : float
        Seconds after which the proof is given up.
    sides : tuple of Side
        The files, and those from before the change.

    Raises
    ------
    ServiceError
        When the service says nothing, also where a kept proof would be at hand.
    """
    from fabric.prove.batfish.client import Service
    from fabric.prove.batfish.effort import effort
    from fabric.prove.batfish.judge import judge

    project = sides[0].project
    subject, before = (_subject(side) if side else None for side in sides)
    assert subject is not None
    say(effort(len(project.devices), len(project.fabric.nics), len(failures)))

    def watch(words: str) -> None:
        progress("batfish", words)

    with Service(address, watch, deadline_s=deadline_s) as service:
        content = (
            service.version,
            *(
                list(items.items())
                for side in sides
                if side
                for items in (side.project.devices, side.project.hosts)
            ),
            [words for words, _ in failures],
            *(json.dumps(one and one.texts) for one in (subject, before)),
        )
        results = project.work.each(
            Stage(
                "batfish",
                "proofs",
                lambda _: judge(subject, service, failures, watch, before=before),
                "prove",
                Keep(content_of, _to_bytes, _from_bytes),
            ),
            {"": content},
            again=same,
        )
    if not project.work.made["batfish"]:
        say("Batfish: kept from an earlier proof of the same files; use --fresh to repeat it")
    judgement: Judgement = results[""]
    return judgement


def _subject(side: Side) -> Subject:
    from fabric.prove.batfish.snapshot import Subject

    project = side.project
    texts = {name: texts_of(project, name, side.folder) for name in project.devices}
    return Subject(project.fabric, project.devices, project.hosts, side.files, texts)


def _to_bytes(judgement: Judgement) -> bytes:
    rows = [(*item[:5], item.severity and int(item.severity)) for item in judgement.breaches]
    counts = (judgement.sessions, judgement.routes, judgement.nics, judgement.pairs)
    names = judgement.translated, judgement.stand_ins, judgement.not_asked
    return json.dumps([rows, counts, judgement.tenants, names]).encode()


def _from_bytes(content: bytes) -> Judgement:
    from fabric.prove.batfish.judge import Judgement

    rows, (sessions, routes, nics, pairs), tenants, names = json.loads(content)
    translated, stand_ins, not_asked = (tuple(part) for part in names)
    breaches = tuple(
        Breach(rule, device, port, line, message, Severity(severity) if severity else None)
        for rule, device, port, line, message, severity in rows
    )
    return Judgement(
        breaches, sessions, routes, nics, pairs, translated, stand_ins, tenants, not_asked
    )
