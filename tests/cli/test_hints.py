"""Errors say what to type instead, once."""

from __future__ import annotations

import shutil

import pytest

from fabric.change.journal import Journal
from fabric.core.file_kinds import FileKind
from tests.cli.runs import DEMO, run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(
            ("export", "topograph", DEMO),
            "unknown export format 'topograph'; it is read, by `rocefab import topograph`; "
            "files for topograph: `rocefab export rails` (rails of NICs that LLDP confirms: "
            "labels, NFD, DRA, Topograph); `rocefab export list` prints all of them [PLC003]",
            id="a format that is read",
        ),
        *(
            pytest.param(
                (command, DEMO),
                f"use a whole number; to name an inventory, use --inventory {DEMO}",
                id=f"an inventory in the place of a run: {command}",
            )
            for command in ("status", "rollback", "report")
        ),
        pytest.param(
            ("export", "slurmm", DEMO), "did you mean slurm? `rocefab export list`", id="a typo"
        ),
        pytest.param(
            ("export", "volcano", DEMO, "--what", "nope"),
            "use `rocefab export k8stopo --what volcano`, without --what nope [PLC003]",
            id="a part with a part",
        ),
        pytest.param(("show", "schema", "nope"), "placement, readings, events", id="schemas"),
        pytest.param(
            ("init", "new", "--design", "rail-optimised-typo"),
            "Did you mean rail-optimised?",
            id="a choice",
        ),
        *(
            pytest.param(words, f"use {number}: the option is in {unit}, without a unit", id=unit)
            for words, number, unit in (
                (("init", "new", "--nic-gbps", "400G"), 400, "Gb/s"),
                (("simulate", DEMO, "--delay-us", "2 ms"), 2000, "microseconds"),
                (("simulate", DEMO, "--buffer-mib", "2 GiB"), 2048, "MiB"),
                (("suspect", DEMO, "--noise-percent", "5%"), 5, "percent"),
                (("observe", DEMO, "--interval-s", "1min"), 60, "s"),
                (("replace", DEMO, "--cable-m", "150 m"), 150, "metres"),
            )
        ),
        pytest.param(
            ("place", DEMO, "8"),
            "unexpected: 8. The value of an option follows its name: --OPTION VALUE",
            id="a value without its option",
        ),
        pytest.param(
            ("place", DEMO, "--ranks", "8"), "--OPTION VALUE; --ranks takes none", id="flag"
        ),
        pytest.param(
            ("place", DEMO, "--ranks", "--no-pxn", "8"),
            "--pxn and --ranks take none",
            id="flags",
        ),
        pytest.param(
            ("diff", "main", "HEAD", "inv"),
            "unexpected: inv. To compare two revisions, use rocefab diff main..HEAD inv",
            id="two revisions",
        ),
        pytest.param(
            ("render", DEMO, "new"), "unexpected: new. To write there, use --out new", id="output"
        ),
        pytest.param(("show", "models"), "Use `rocefab show platforms`.", id="word of a group"),
        pytest.param(
            ("drain", DEMO), "'drain'. Use `rocefab whatif --drain`.", id="word of others"
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "su1-rail0:Ethernet0"),
            "did you mean link:su1-rail0:Ethernet0? [INT040]",
            id="a port that fails",
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "su1-rail0 Ethernet0"),
            "did you mean link:su1-rail0:Ethernet0? [INT040]",
            id="a port after a space",
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "su1-rail0:Ethernet00"),
            "did you mean link:su1-rail0:Ethernet0? [INT040]",
            id="a port that is nearly right",
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "su1-rail0:Ethernet9999"),
            "use link:su1-rail0:PORT; did you mean 'Ethernet",
            id="a port that there is not",
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "gpu001 eth1"),
            "did you mean gpu001:eth1? [INT040]",
            id="a NIC after a space",
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "su1-rail0:spine01"),
            "did you mean cable-bundle:su1-rail0:spine01? [INT040]",
            id="cables that fail",
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "leaf:su1-rail0"),
            "did you mean switch:su1-rail0? [INT040]",
            id="a role that fails",
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "gpu[900-999]"),
            "there is no device 'gpu[900-999]'; known: gpu[001-004]; or use one of link:",
            id="a range that fails",
        ),
        pytest.param(
            ("whatif", DEMO, "--fail", "host:su[1-2]-rail0"),
            "'su[1-2]-rail0' are switches, not hosts; --fail switch:su[1-2]-rail0 takes them down",
            id="switches for hosts that fail",
        ),
        pytest.param(
            ("tenant", "add", DEMO, "red"),
            f"unexpected: red. To name the inventory, use --inventory {DEMO}",
            id="an inventory before a name",
        ),
        pytest.param(
            ("show", "paths", DEMO, "su1-rail0", "su1-rail1"),
            "unexpected: su1-rail0 su1-rail1. To name a leaf, use --leaf su1-rail0",
            id="leaves without an option",
        ),
        pytest.param(
            ("show", "buffer", DEMO, "su1-rail0"),
            "unexpected: su1-rail0. To select devices, use --only su1-rail0",
            id="a device of a table",
        ),
        pytest.param(
            ("plan", DEMO, "su1-rail0"),
            "To select devices, use --only su1-rail0; To write there, use --out su1-rail0",
            id="a device or a file",
        ),
        pytest.param(
            ("place", DEMO, "--gpus", "8"), "(Possible options: --gpus-per-node)", id="GPUs"
        ),
        pytest.param(("place", DEMO, "--avoid", "gpu1"), "options: --exclude)", id="avoid"),
        pytest.param(
            ("replace", "su1-rail9", "--inventory", DEMO),
            "there is no device 'su1-rail9' in the inventory; known: su1-rail[0-1]",
            id="a device",
        ),
        pytest.param(
            ("init", "new", "--design", "rail-optimised", "--leaf", "CE8850"),
            "did you mean 'CE8851-32CQ8DQ-P' or 'CE8855-32CQ4BQ'?",
            id="a series of models",
        ),
        pytest.param(("serve", DEMO, "--port", "x"), "--listen ADDRESS:PORT", id="port"),
        pytest.param(
            ("apply", DEMO),
            f"run `rocefab plan {DEMO} --out plan.json`, then `rocefab apply plan.json`",
            id="a folder for a plan",
        ),
        pytest.param(("rollback", "--inventory", DEMO), "no runs yet", id="nothing to roll back"),
    ],
)
def test_hint(words, said, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    ended = run(*words)
    assert ended.code == 2
    assert said in " ".join(ended.err.replace("│", " ").split())


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("place", DEMO, "--hosts", "gpu[1-"), id="place"),
        pytest.param(("export", "nccl", DEMO, "--hosts", "gpu[1-"), id="export"),
        pytest.param(("export", "nccl", DEMO, "--exclude", "gpu[1-"), id="exclude"),
    ],
)
def test_a_fix_is_said_once(words):
    ended = run(*words)
    assert "'gpu[1-' is not a name range; use the form gpu[001-064] [PLC0" in ended.err


@pytest.mark.parametrize(
    ("option", "fix"),
    [
        ("--avoid-state", "write it again [INT001]"),
        (
            "--queue",
            f"{FileKind.QUEUE.fix} [PLC033]",
        ),
    ],
)
def test_a_wrong_file_is_said_once(tmp_path, option, fix):
    file = tmp_path / "state.json"
    file.write_text('{"a": ')
    ended = run("place", DEMO, option, file)
    assert ended.code == 2
    assert ended.err == f"{file}:1:7: not JSON: the text ends before it is whole; {fix}\n"


NO_READINGS = {
    "JSON of several lines": ('{\n "jobs": []\n}\n', "1:1: this line is not a whole JSON object"),
    "a record that is cut in the middle": (
        '{"format": "rocefab-readings/1", "device"\n{}\n',
        "1:1: this line is not a whole JSON object",
    ),
    "no JSON": ('{"a" 1}\n', "1:6: not JSON: expecting ':' delimiter"),
}


@pytest.mark.parametrize(("text", "message"), NO_READINGS.values(), ids=NO_READINGS)
def test_another_file_than_readings_says_what_is_expected(tmp_path, text, message):
    file = tmp_path / "st.json"
    file.write_text(text)
    ended = run("export", "rails", DEMO, "--snapshot", file)
    assert ended.code == 2
    expected = "expected are lines of `rocefab observe --out FILE`, each a whole record [OBS002]"
    assert ended.err.startswith(f"{file}:{message}; {expected}\n")


def test_a_question_is_no_part_of_a_list(tmp_path):
    file = tmp_path / "connections.json"
    file.write_text('{"devises": {}}')
    ended = run("observe", DEMO, "--connections", file)
    assert "did you mean 'devices'? Correct the connections file [DEV001]" in ended.err


def test_rollback_names_the_runs(tmp_path):
    journal = Journal(tmp_path)
    for kind in ("apply", "rollback"):
        journal.begin(kind, "demo", "")
    ended = run("rollback", "--state", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "rocefab: specify the run to roll back: 2 (rollback of demo), 1 (apply of demo); "
        "`rocefab status` lists all of them\n"
    )


def test_a_wrong_value_of_a_file_that_is_there_is_said(tmp_path):
    """The file was written by the first call: its layout is not odd."""
    folder = tmp_path / "fabric"
    shutil.copytree(DEMO, folder)
    unit = ("replace", "su1-rail0", "--inventory", folder, "--serial", "S1")
    assert run(*unit).code == 0
    ended = run(*unit, "--mac", "aa:bb")
    assert "'aa:bb' is not a MAC address; use six lower-case pairs with colons" in ended.err
    assert "cannot edit this layout" not in ended.err


def test_a_part_may_be_named_twice():
    once, twice = (run("export", "kueue", DEMO, *more).out for more in ((), ("--what", "kueue")))
    assert once == twice
    assert "kind: Topology" in once
