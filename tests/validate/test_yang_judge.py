"""What libyang says becomes findings; where it cannot be asked, that is said (fake yanglint)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fabric.core.findings import Severity
from fabric.systems.sonic.config_db import SonicConfig, configs_of
from fabric.systems.sonic.yang_judge import Answer, Complaint, Yang, _complaint
from fabric.validate.json_lines import key_positions
from fabric.validate.runner import run
from fabric.validate.world import World

PORTS = """
module sonic-port {
    prefix port; import ietf-inet-types { prefix inet; }
    container sonic-port {
        container PORT {
            list PORT_LIST {
                key "name";
                leaf name { type string; }
                leaf asn { type inet:as-number; }
                leaf peer { type inet:ip-address; }
                leaf password { type string; }
                leaf-list speeds { type uint32; }
            }
        }
    }
}
"""
GOOD = {"PORT": {"Ethernet0": {"asn": "65000"}}}
BAD = {"PORT": {"Ethernet0": {"asn": "65000"}, "Ethernet4": {"asn": "1"}}}
PATH = "/sonic-port:sonic-port/PORT/PORT_LIST[name='Ethernet4']/asn"
PLACE = f'(Data location "{PATH}", line number 9.)'


def fake_yanglint(folder: Path, script: str = "") -> Path:
    """Write a yanglint that refuses Ethernet4, and return its folder."""
    program = folder / "bin" / "yanglint"
    program.parent.mkdir(exist_ok=True)
    refusal = f'libyang err : Unsatisfied range - value "1" is out. {PLACE}'
    refuse = f"cat >&2 <<'EOF'\n{refusal}\nEOF\nexit 7\n"
    body = f'for file; do :; done\nif grep -q Ethernet4 "$file"; then\n{refuse}fi\n'
    program.write_text(f"#!/bin/sh\n{script or body}")
    program.chmod(0o755)
    return program.parent


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Return a folder of models, with a yanglint beside it on PATH."""
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "sonic-port.yang").write_text(PORTS)
    monkeypatch.setenv("PATH", f"{fake_yanglint(tmp_path)}:{os.environ['PATH']}")
    return folder


def test_valid_and_not(models):
    assert Yang(models).answer(GOOD) == Answer()
    (complaint,) = Yang(models).answer(BAD).complaints
    assert complaint.path == ("PORT", "Ethernet4", "asn")
    assert complaint.message == 'Unsatisfied range - value "1" is out'


def test_what_does_not_fit_into_the_models(models):
    config = {
        "PORT": {"Ethernet0": {"colour": "red", "asn": None}, "Ethernet8": 5},
        "BFD_PEER": {"x": {}},
    }
    answer = Yang(models).answer(config)
    assert set(answer.complaints) == {
        Complaint(("PORT", "Ethernet0", "asn"), "a value must be a string or a list of strings"),
        Complaint(("PORT", "Ethernet0"), "unknown field 'colour'"),
        Complaint(("PORT", "Ethernet8"), "a row must contain fields"),
    }
    assert answer.unjudged == ("BFD_PEER",)


def test_numbers_and_lists_of_hand_made_files(models):
    config = {"PORT": {"Ethernet0": {"asn": 65000, "peer": "10.0.0.1", "speeds": [1, 2]}}}
    assert Yang(models).answer(config) == Answer()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/sonic-q:sonic-q/QUEUE/QUEUE_LIST[if='Ethernet0'][q='3']/w", "QUEUE|Ethernet0|3 w"),
        (
            "/sonic-i:sonic-i/I/I_IP_LIST[n='Ethernet0'][p='10.0.0.1/31']/n",
            "I|Ethernet0|10.0.0.1/31 n",
        ),
        ("/sonic-m:sonic-m/M/M_LIST[n='A']/M[dscp='26']/tc", "M|A 26"),
        ("/sonic-m:sonic-m/M/M_LIST[n='A']/M/dscp", "M|A"),
        ("/sonic-v:sonic-v/VLAN/VLAN_LIST/name", "VLAN"),
        ("/sonic-h:sonic-h/HASH/GLOBAL/x", "HASH|GLOBAL x"),
        ("/sonic-p:sonic-p/PORT", "PORT"),
    ],
)
def test_places_of_libyang(text, path):
    found = _complaint(f'Bad. (Data location "{text}", line number 3.)')
    row = "|".join(found.path[:2])
    assert " ".join([row, *found.path[2:]]) == path
    assert found.message.startswith("Bad")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (
            "BGP_NEIGHBOR/BGP_NEIGHBOR_LIST[n='10.0.0.1']/auth_password",
            ("BGP_NEIGHBOR", "10.0.0.1", "auth_password"),
        ),
        ("SNMP_COMMUNITY/SNMP_COMMUNITY_LIST[name='s3cret']/TYPE", ("SNMP_COMMUNITY",)),
    ],
)
def test_secrets_are_not_repeated(place, path):
    found = _complaint(f'Pattern - "s3cret" is bad. (Data location "/m:m/{place}".)')
    assert found == Complaint(path, "Pattern - *** is bad")


def test_what_has_no_place_is_still_an_error():
    assert _complaint("Something else") == Complaint((), "Something else")


def test_why_it_was_not_validated(models, tmp_path, monkeypatch):
    assert "--yang-models" in Yang(None).answer(GOOD).why_not
    above = models.parent / "all"
    (above / "202405").mkdir(parents=True)
    (above / "202405" / "sonic-port.yang").write_text(PORTS)
    assert Yang(above, "202405").answer(GOOD) == Answer()
    assert Yang(above).answer({
        **GOOD,
        "VERSIONS": {"DATABASE": {"VERSION": "version_202405_02"}},
    }).unjudged == ("VERSIONS",)
    assert "has no models for release 202505" in Yang(above, "202505").answer(GOOD).why_not
    assert "the release is not known" in Yang(above).answer(GOOD).why_not
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "yanglint is not installed" in Yang(models).answer(GOOD).why_not


def test_broken_models_are_not_an_invalid_configuration(models, tmp_path):
    fake_yanglint(tmp_path, "echo 'libyang err : no such module' >&2\nexit 1\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "sonic-port.yang").write_text(PORTS)
    answer = Yang(other).answer(GOOD)
    assert answer.complaints == ()
    assert "cannot load the models" in answer.why_not
    assert "no such module" in answer.why_not


def judged(config, yang):
    text = json.dumps(config, indent=1)
    file = SonicConfig("leaf", config, key_positions(text, "x.json"))
    world = World(configurations=(file,), yang=yang)
    return [item for item in run(world).findings if item.rule == "SON040"]


def test_a_finding_has_its_line(models):
    (finding,) = judged(BAD, Yang(models))
    assert finding.severity is Severity.ERROR
    assert str(finding.position) == "x.json:7:4"
    assert finding.field == "PORT|Ethernet4|asn"


def test_without_models_it_says_so_and_is_no_error():
    (finding,) = judged(GOOD, Yang(None))
    assert finding.severity is Severity.INFO
    assert finding.message.startswith("YANG: not validated: no YANG models")


def test_a_rendered_configuration_is_not_asked_about():
    outcome = run(World(configurations=configs_of({"leaf": GOOD}, is_rendered=True)))
    assert "SON040" in outcome.skipped


@pytest.mark.parametrize(("config", "status"), [(GOOD, 0), (BAD, 4)])
def test_the_command(models, tmp_path, config, status):
    """In a process of its own, with models and without."""
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(config))
    command = [sys.executable, "-m", "fabric", "check", "--sonic-config", str(file)]
    ignored = [word for rule in ("SON027", "SON030", "SON031") for word in ("--ignore", rule)]
    done = subprocess.run(
        [*command, *ignored, "--yang-models", str(models)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert ("[SON040]" in done.stdout) is bool(status)
    assert ("PORT|Ethernet4|asn" in done.stdout) is bool(status)
    done = subprocess.run([*command, *ignored], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "YANG: not validated: no YANG models" in done.stdout


def test_a_folder_without_models_is_refused(tmp_path):
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(GOOD))
    words = ["check", "--sonic-config", str(file), "--yang-models", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "fabric", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "/usr/local/yang-models" in done.stdout + done.stderr


@pytest.mark.parametrize("release", ["..", "../models", "/etc", "a/b", "..\\x", "202405/.."])
def test_a_release_leads_to_no_other_folder(models, release):
    answer = Yang(models.parent, release).answer(GOOD)
    assert answer.why_not.endswith("is not a folder name")
    assert answer.complaints == ()
