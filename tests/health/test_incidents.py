"""Incidents in the lab, read by the real command as a process: it names the culprit, alone."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest

from tests.cli.runs import process
from tests.health.incidents import INCIDENTS, incident, running

PASSWORD = "lab-password"
#: Incidents of the quick tests; all together take two minutes.
_QUICK = ("healthy", "storm-seen-by-the-leaf-alone", "mis-marked-host", "grey-spine")
JOBS = {
    "format": "rocefab-state/1",
    "jobs": [{"name": "train-7", "hosts": "a[1-4]"}, {"name": "train-8", "hosts": "a5"}],
}


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    folder = tmp_path_factory.mktemp("incidents")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", PASSWORD)
        with running(folder) as lab:
            jobs = folder / "jobs.json"
            jobs.write_text(json.dumps(JOBS))
            yield (*lab, jobs)


def judged(ready, *words: object, form: str = "json", interval_s: int = 1):
    _, project, connections, jobs = ready
    return process(
        *("judge", project.intent.folder, "--connections", connections),
        *("--interval-s", interval_s),
        *("--jobs", jobs, "--format", form, *words),
        ROCEFAB_PASSWORD=PASSWORD,
    )


@pytest.mark.fault(4)
@pytest.mark.parametrize("name", INCIDENTS)
def test_the_culprit_is_named(ready, name) -> None:
    """A second is short where the machine is loaded: rates of devices differ by a late answer."""
    lab, project, *_ = ready
    said = INCIDENTS[name]
    with incident(lab, project, said):
        for interval_s in (1, 8):
            ended = judged(ready, interval_s=interval_s)
            document = json.loads(ended.out)
            seen = sorted(
                [cause["rule"], cause["device"] or "", cause["port"] or ""]
                for cause in document["causes"]
            )
            anywhere = seen[0][1] if seen else ""
            places = sorted(
                [rule, anywhere if at == "*" else at, port] for rule, at, port in said["causes"]
            )
            if seen == places:
                break
    assert document["broken"] == []
    assert seen == places, ended.out
    failing = any(cause["severity"] == "error" for cause in document["causes"])
    assert ended.code == (4 if failing else 0), ended.err
    assert [words for words in said.get("says", ()) if words not in ended.out] == [], ended.out


def test_text_has_the_evidence_below_the_cause(ready) -> None:
    lab, project, *_ = ready
    with incident(lab, project, INCIDENTS["storm-by-one-nic"]):
        ended = judged(ready, form="text")
    lines = ended.out.splitlines()
    assert lines[0].startswith("error: a1 eth1: PFC storm: pauses its leaf ")
    assert lines[0].endswith("receiving process [OBS101]")
    assert lines[1].startswith("    a1 eth1 pauses su1-rail0 Ethernet0 ")
    assert lines[6] == "    hosts: a2,b1"
    assert lines[-1] == "24 verdicts: 1 cause"


def test_junit_for_a_burn_in(ready) -> None:
    lab, project, *_ = ready
    with incident(lab, project, INCIDENTS["storm-by-one-nic"]):
        ended = judged(ready, form="junit")
    assert ended.code == 4
    suite = ET.fromstring(ended.out)
    cases = {re.match(r"\w+", case.get("name"))[0]: case for case in suite.iter("testcase")}
    assert suite.get("name") == "rocefab judge"
    assert cases["OBS101"].find("failure") is not None
    assert cases["OBS110"].find("failure") is None
