"""Fabrics as both engines are given them, and the service that is asked where one is named."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache

import pytest

from fabric.observe.configuration import readers
from fabric.prove.batfish.client import Service
from fabric.prove.batfish.judge import Judgement, judge
from fabric.prove.batfish.snapshot import Subject
from fabric.prove.engine import Engine, Proof
from fabric.topology.clos import Outage
from fabric.workflow.project import Project
from tests.prove.fabrics import Texts, example

#: Where a real service listens; the tests that need one are skipped without it.
ADDRESS = os.environ.get("ROCEFAB_BATFISH", "")

needs_service = pytest.mark.skipif(
    not ADDRESS, reason="no Batfish: name one by ROCEFAB_BATFISH=HOST[:PORT] (docs/prove.md)"
)


def subject_of(project: Project, texts: Texts) -> Subject:
    """Return a project with some texts in place of what is rendered."""
    files = {
        name: readers[project.devices[name].platform](text)
        for name, text in texts.items()
        if project.devices[name].platform in readers
    }
    return Subject(project.fabric, project.devices, project.hosts, files, texts)


@cache
def example_subject(name: str) -> Subject:
    """Return an example of the repository; nobody may change it."""
    return subject_of(*example(name))


def by_batfish(subject: Subject, failures: Iterable[tuple[str, Outage]] = ()) -> Judgement:
    """Return what the real service says."""
    with Service(ADDRESS) as service:
        return judge(subject, service, list(failures))


def by_own(subject: Subject) -> Proof:
    """Return what our own engine says."""
    return Engine(subject.fabric, subject.devices, subject.hosts, subject.files).prove()
