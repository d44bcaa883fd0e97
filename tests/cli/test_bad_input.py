"""Bad input: exit code 2, a message that says where, nothing written, nothing on stdout."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from fabric.change.model import PLAN_FORMAT
from tests.cli.runs import DEMO, everything_below, run

FABRIC = "inv/fabric.yaml"
AT = r"\d+:\d+: "


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a copy of the demo as ``inv``, and plans of several kinds."""
    shutil.copytree(DEMO, tmp_path / "inv")
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


FILES = {
    "edited.json": json.dumps({"digest": "0" * 64, "format": PLAN_FORMAT, "fabric": "demo"}),
    "future.json": json.dumps({"digest": "0" * 64, "format": 99}),
    "notes.json": json.dumps(["not a plan"]),
    "broken.json": "{\n  oops",
    "unknown-device.json": json.dumps({"devices": {"su1-rail9": {}}}),
    "unknown-field.json": json.dumps({"devices": {"spine01": {"password": "x"}}}),
    "empty.json": "",
}

#: name: (old text of fabric.yaml, new text, pattern of the message)
INVENTORIES = {
    "broken YAML": ("units:", "units: [", rf"{FABRIC}:{AT}.*\[INT\d+\]"),
    "unknown field": ("rails: 2", "rail: 2", rf"{FABRIC}:{AT}.*did you mean 'rails'"),
    "wrong type": ("rails: 2", "rails: two", rf"{FABRIC}:15:8: fabric\.rails: .*\[INT\d+\]"),
    "too large": ("count: 2", "count: 4097", rf"{FABRIC}:{AT}fabric\.spines\.count: "),
    "duplicate key": ("rails: 2", "rails: 2\nrails: 3", rf"{FABRIC}:16:1: .*rails"),
    "addresses ran out": ("10.64.0.0/16", "10.64.0.0/23", rf"{FABRIC}:{AT}.*\[TOP\d+\]"),
    "ports ran out": ("gpu[001-002]", "gpu[101-164]", rf"{FABRIC}:{AT}.*\[TOP\d+\]"),
    "unknown model": ("ACS-MSN4700", "ACS-MSN4701", rf"{FABRIC}:{AT}.*ACS-MSN4700"),
    "ECN the wrong way": (
        "kmin_bytes: 150000",
        "kmin_bytes: 1600000",
        rf"{FABRIC}:{AT}.*\[QOS001\]",
    ),
}
#: Each stands in ``host:`` of the demo, after its GPUs.
INVENTORIES |= {
    name: ("  gpus: 2\n", f"  gpus: 2\n  {line}\n", pattern)
    for name, line, pattern in (
        ("unknown driver", "nic: {driver: mlx6}", rf"{FABRIC}:{AT}fabric\.host\.nic\.driver: "),
        ("unknown stack", "network_stack: ifupdown", rf"{FABRIC}:{AT}fabric\.host\.network_stack"),
        (
            "no PCI address",
            'nic: {pci_addresses: ["1a:00.0;x", "0000:9a:00.0"]}',
            rf"{AT}.*nic\.pci",
        ),
        (
            "two NICs on one PCI address",
            'nic: {pci_addresses: ["0000:1a:00.0", "0000:1a:00.0"]}',
            rf"{FABRIC}:{AT}fabric\.host\.nic\.pci_addresses: .*\[HST008\]",
        ),
        (
            "more NICs than rails",
            "nic: {numa_nodes: [0, 0, 1]}",
            rf"{FABRIC}:{AT}fabric\.host\.nic\.numa_nodes: .*\[HST007\]",
        ),
    )
}
VERBS = {
    "render": ("render", "inv", "--out", "out"),
    "plan": ("plan", "inv", "--out", "plan.json"),
    "show": ("show", "links", "inv"),
    "place": ("place", "inv", "--nodes", "2"),
    "export": ("export", "slurm", "inv"),
    "check": ("check", "inv", "--format", "json"),
}


@pytest.mark.parametrize("verb", ["render", "plan"])
@pytest.mark.parametrize("case", INVENTORIES)
def test_wrong_inventories_stop_what_writes(folder: Path, case: str, verb: str) -> None:
    old, new, pattern = INVENTORIES[case]
    file = folder / FABRIC
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    before = everything_below(folder)
    ended = run(*VERBS[verb])
    assert (ended.code, ended.out) == (2, "")
    assert re.search(pattern, ended.err), ended.err
    assert everything_below(folder) == before


@pytest.mark.parametrize("form", ["slurm", "nccl", "k8s", "csv", "netbox"])
@pytest.mark.parametrize("out", [(), ("--out", "out")])
def test_no_export_of_what_check_rejects(folder: Path, form: str, out: tuple[str, ...]) -> None:
    file = folder / FABRIC
    text = file.read_text()
    file.write_text(text.replace("kmin_bytes: 150000", "kmin_bytes: 1600000", 1))
    before = everything_below(folder)
    ended = run("export", form, "inv", *out)
    assert (ended.code, ended.out) == (2, "")
    assert "[QOS001]" in ended.err
    assert everything_below(folder) == before


@pytest.mark.parametrize("verb", [name for name in VERBS if name != "check"])
def test_every_verb_names_the_line(folder: Path, verb: str) -> None:
    file = folder / FABRIC
    file.write_text(file.read_text().replace("rails: 2", "rails: two"))
    ended = run(*VERBS[verb])
    assert (ended.code, ended.out) == (2, "")
    assert f"{FABRIC}:15:8: fabric.rails: " in ended.err


@pytest.mark.parametrize("form", ["json", "sarif", "junit"])
def test_check_tells_programs_what_could_not_be_read(folder: Path, form: str) -> None:
    file = folder / FABRIC
    file.write_text(file.read_text().replace("rails: 2", "rails: two"))
    ended = run("check", "inv", "--format", form)
    assert ended.code == 2
    assert "fabric.rails" in ended.err
    assert FABRIC in ended.out
    if form == "sarif":
        result = json.loads(ended.out)["runs"][0]["results"][0]
        place = result["locations"][0]["physicalLocation"]
        assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (FABRIC, 15)


#: words, pattern of the message
CALLS = {
    "missing folder": ("check nowhere", r"nowhere: cannot be read"),
    "folder without fabric.yaml": ("check inv/devices", r"inv/devices: there is no fabric\.yaml"),
    "file for a folder": (
        "check inv/devices/shorter-cables.yaml",
        r"shorter-cables\.yaml: cannot be read as a folder",
    ),
    "inventory beside a file": (
        "check inv --sonic-config broken.json",
        r"mutually exclusive; pass one of them",
    ),
    "rule that does not exist": (
        "show rules QOS924",
        r"unknown rule 'QOS924'; did you mean QOS024",
    ),
    "explain: a rule with few digits": (
        "explain QOS24",
        r"unknown rule 'QOS24'; did you mean QOS024\?",
    ),
    "explain: a rule in small letters": (
        "explain qos-024",
        r"unknown rule 'qos-024'; did you mean QOS024\?",
    ),
    "explain: a check of NICs": (
        "explain H2",
        r"H2 is a check of NICs, not a rule; docs/hosts.md#verify-and-drift",
    ),
    "rule to explain that does not exist": ("explain QOS924", r"'QOS924'; did you mean QOS024"),
    "rule to explain with more digits": ("explain QOS9999", r"'QOS9999'; did you mean"),
    "rule to explain of no area, with an inventory": (
        "explain inv ZZZ9999",
        r"unknown rule 'ZZZ9999'; `rocefab show rules` lists them",
    ),
    "rule unlike any": ("show rules nonsense", r"'nonsense'; `rocefab show rules` lists them"),
    "unknown rule": (
        "check inv --ignore QOS01",
        r"cannot ignore rule 'QOS01': no such rule; did you mean 'QOS0",
    ),
    "unknown rule, unlike": ("check inv --ignore foo", r"'foo'.*`rocefab show rules`"),
    "unknown form": ("check inv --format xml", r"'--format'.*'xml'"),
    "config_db that is missing": ("check --sonic-config none.json", r"none\.json: .*no such"),
    "config_db that is broken": (
        "check --sonic-config broken.json",
        r"broken\.json:2:3: .*not JSON",
    ),
    "config_db of another kind": ("check --sonic-config notes.json", r"notes\.json: .*tables"),
    "unknown device to explain": ("explain inv su9", r"device 'su9'"),
    "unknown text to explain": ("explain inv su1-rail0 nonsense", r"no line of su1-rail0 contains"),
    "cable of an unknown host": ("show cable inv gpu9 eth1", r"host 'gpu9' does not exist"),
    "cable of an unknown NIC": ("show cable inv gpu001 eth9", r"gpu001 has no fabric NIC 'eth9'"),
    "cable of a host without its NIC": ("show cable inv gpu001", r"which NIC of gpu001\? Its NICs"),
    "cable of a host and its NIC": ("show cable inv gpu001:eth9", r"has no fabric NIC 'eth9'"),
    "cable of nothing": ("show cable inv", r"specify a host and an interface"),
    "unknown schema": ("show schema fabrics", r"'fabrics'.*fabric, devices, hosts"),
    "unknown export": ("export slrum inv", r"'slrum'.*slurm"),
    "unknown device in --only": ("plan inv --only su1-rail0,su9", r"device 'su9'"),
    "broken range in --only": ("plan inv --only su1-rail[0-", r"--only"),
    "unknown wave": ("plan inv --by moon", r"'--by'.*'moon'"),
    "no folder for the plan": ("plan inv --out none/plan.json", r"folder none does not exist"),
    "missing connections": ("plan inv --connections none.json", r"none\.json: "),
    "broken connections": ("plan inv --connections broken.json", r"broken\.json:2:3: not JSON"),
    "connections to an unknown device": (
        "verify inv --connections unknown-device.json",
        r"devices\.su1-rail9: .*did you mean 'su1-rail",
    ),
    "unknown field of a connection": (
        "drift inv --connections unknown-field.json",
        r"devices\.spine01\.password: ",
    ),
    "one reading, again and again": (
        "observe inv --once --interval-s 5",
        r"--once ends after one reading, and --interval-s asks for several: omit one of them",
    ),
    "report form of a watch": ("drift inv --watch --format sarif", r"set --format jsonl"),
    "missing plan": ("apply none.json", r"none\.json"),
    "no plan": ("apply --commit", r"specify a plan file"),
    "edited plan": ("apply edited.json --commit", r"edited\.json was modified"),
    "plan of another format": ("apply future.json --commit", r"plan format 99"),
    "something else for a plan": ("apply notes.json --commit", r"notes\.json is not a plan"),
    "empty file for a plan": ("apply empty.json", r"empty\.json:1:1: .* is not a plan"),
    "nothing to resume": ("apply --resume", r"no runs yet of an inventory in this folder; specify"),
    "resume with a plan": ("apply notes.json --resume", r"do not pass PLAN"),
    "run of nothing": ("status 3", r"no runs yet of an inventory in this folder; specify"),
    "roll back nothing": ("rollback 3 --commit", r"no runs yet of an inventory in this folder"),
    "runs of another inventory": ("status 3 --inventory inv", r"no runs yet of inv; specify"),
    "runs in another folder": ("status 3 --state nowhere", r"nowhere contains no journal"),
    "too short a timer": ("apply notes.json --timer-s 1", r"'--timer-s'"),
    "no nodes": ("place inv --nodes 0", r"'--nodes': use 1 or more"),
    "no GPUs": ("place inv --nodes 1 --gpus-per-node 0", r"'--gpus-per-node'"),
    "unknown host to exclude": ("place inv --exclude gpu9", r"gpu9"),
    "no receiver": ("simulate inv", r"--to HOST:INTERFACE, or --permutation, or --star; one"),
    "a permutation on one switch": ("simulate --star --permutation", r"or --star; one of them"),
    "spraying on one switch": ("simulate --star --settings spray", r"spray needs several paths"),
    "spray with a word": ("simulate --star --settings spray=no", r"spray is 'no'; write spray, or"),
    "spray with HPCC": ("simulate --star --settings hpcc,spray", r"telemetry of one path"),
    "output over other files": ("render inv --out inv", r"were not written by rocefab.*--force"),
    "output into a file": ("render inv --out notes.json", r"notes\.json is not a folder"),
    "init over something": ("init inv", r"inv: is not empty"),
    "lab of nothing": ("lab up nowhere", r"nowhere: "),
    "demo over something": ("demo --out inv", r"inv is not empty"),
    "unknown command": ("undo plan.json", r"No such command 'undo'"),
    "unknown option": ("check inv --strict", r"--strict"),
    "too many words": ("check inv more", r"more"),
}


@pytest.mark.parametrize("case", CALLS)
def test_bad_calls(folder: Path, case: str) -> None:
    words, pattern = CALLS[case]
    before = everything_below(folder)
    ended = run(*words.split())
    assert (ended.code, ended.out) == (2, ""), ended.err
    assert re.search(pattern, ended.err.replace("\n", " ")), ended.err
    assert "internal error" not in ended.err
    assert everything_below(folder) == before, "something was written"
    assert not (folder / ".rocefab").exists()


def test_wrong_values_of_variables_are_refused_by_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCEFAB_FORMAT", "xml")
    ended = run("show", "links", "inv")
    assert ended.code == 2
    assert "ROCEFAB_FORMAT" in ended.err


def test_variables_stand_in_for_options(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCEFAB_INVENTORY", "inv")
    monkeypatch.setenv("ROCEFAB_NODES", "3")
    monkeypatch.setenv("ROCEFAB_FORMAT", "json")
    assert len(json.loads(run("place").out)["hosts"]) == 3
    monkeypatch.setenv("ROCEFAB_CHECK_FORMAT", "json")
    monkeypatch.setenv("ROCEFAB_IGNORE", "QOS002 QOS021")
    result = json.loads(run("check").out)
    assert {"QOS002", "QOS021"} <= set(result["skipped"])


def test_findings_make_4_and_the_threshold_moves_it(folder: Path) -> None:
    file = folder / FABRIC
    file.write_text(file.read_text().replace("kmin_bytes: 150000", "kmin_bytes: 1600000"))
    ended = run("check", "inv")
    assert ended.code == 4
    assert "[QOS001]" in ended.out
    assert run("check", DEMO).code == 0
    assert run("check", DEMO, "--fail-on", "info").code == 4


JSON_CALLS = [
    "check inv", "render inv --out out", "explain inv spine01", "explain inv gpu001 mlnx_qos",
    "show topology inv", "show addresses inv", "show links inv", "show hosts inv",
    "show platforms", "show rules", "place inv --nodes 2", "status",
]  # fmt: skip


@pytest.mark.parametrize("words", JSON_CALLS)
def test_stdout_is_json_alone(folder: Path, words: str) -> None:
    ended = run(*words.split(), "--format", "json")
    assert ended.code == 0
    json.loads(ended.out)
    assert ended.err == ""


def test_a_hundred_thousand_errors_are_not_all_printed(folder: Path) -> None:
    file = folder / "inv" / "fabric.yaml"
    file.write_text(file.read_text() + "".join(f"unknown{n}: 1\n" for n in range(100_000)))
    ended = run("check", "inv")
    lines = ended.err.splitlines()
    assert ended.code == 2
    assert len(lines) < 110
    more = r" +99,\d{3} more that differ in names and numbers alone"
    assert any(re.fullmatch(more, line) for line in lines), lines[-3:]


@pytest.mark.parametrize("words", [("--hosts", 64), ("--leaf", "SN5600"), ("--nic-gbps", 100)])
def test_sizes_without_a_design_are_refused(tmp_path: Path, words: tuple[object, ...]) -> None:
    ended = run("init", tmp_path / "mine", *words)
    assert ended.code == 2
    assert f"{words[0]}: add --design or --ask" in ended.err
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("words", "code", "rule"),
    [
        (("place", DEMO, "--nodes", "99"), 4, "PLC001"),
        (("place", DEMO, "--hosts", "gpu9"), 2, "PLC031"),
        (("explain", DEMO, "gpu9"), 2, "EXP001"),
        (("show", "links", "nowhere"), 2, "INT001"),
        (("whatif", DEMO, "--fail", "gpu9"), 2, "TOP005"),
        (("diff", DEMO, "nowhere"), 2, "INT001"),
    ],
)
def test_json_has_the_error_too(words, code, rule) -> None:
    ended = run(*words, "--format", "json")
    told = json.loads(ended.out)
    assert (ended.code, told["format"]) == (code, "rocefab-error/1")
    assert told["findings"][0]["rule"] == rule
    assert told["error"] in ended.err


def test_json_of_findings_has_no_second_document() -> None:
    ended = run("check", "nowhere", "--format", "json")
    assert json.loads(ended.out)["findings"][0]["rule"] == "INT001"


def test_a_job_for_which_there_are_no_hosts_is_a_finding() -> None:
    """A right question has an answer: other than that of a wrong option, 2."""
    ended = run("place", DEMO, "--nodes", "99")
    assert (ended.code, ended.out) == (4, "")
    assert "but the fabric has 4; request at most 4 nodes: with 2 GPUs each" in ended.err
    assert run("place", DEMO, "--hosts", "gpu9").code == 2
    assert run("export", "nccl", DEMO, "--nodes", "99").code == 4


def test_an_option_of_all_commands_behind_one_says_where_it_stands() -> None:
    ended = run("check", DEMO, "-q")
    assert ended.code == 2
    assert "-q stands before the command: rocefab -q check" in ended.err


def test_a_rule_is_explained_behind_an_inventory_too() -> None:
    assert run("explain", DEMO, "TOP014").out == run("explain", "TOP014").out


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ((str(DEMO),), f"rocefab explain {DEMO} DEVICE"),
        (("su1-rail0", str(DEMO)), f"rocefab explain {DEMO} su1-rail0"),
    ],
)
def test_an_inventory_where_a_device_belongs(words: tuple[str, ...], advice: str) -> None:
    ended = run("explain", *words)
    assert ended.code == 2
    assert advice in ended.err


def test_a_finding_on_a_default_says_that_no_file_has_it(tmp_path: Path) -> None:
    """From rules and from what was kept of them; its place is where the value would stand."""
    folder = tmp_path / "inv"
    run("init", folder, *"--design rail-optimised --hosts 4 --leaf N9K-C9332D-GX2B".split())
    for _ in range(2):
        line = next(one for one in run("check", folder).out.splitlines() if "[QOS029]" in one)
        assert "fabric.lossless.ecn.kmin_bytes (default, not in the file): su1-" in line
    data = run("check", folder, "--format", "json").out
    assert "not in the file" not in data


def test_models_without_configurations_are_said(tmp_path: Path) -> None:
    ended = run("check", DEMO, "--yang-models", tmp_path)
    assert "--yang-models counts for nothing without --sonic-config" in ended.err


@pytest.mark.parametrize("case", ["wrong type", "ports ran out", "ECN the wrong way"])
def test_check_says_where_no_rule_was_reached(folder: Path, case: str) -> None:
    old, new, _ = INVENTORIES[case]
    file = folder / FABRIC
    file.write_text(file.read_text().replace(old, new))
    ended = run("check", "inv")
    is_reached = "rules checked" in ended.out
    assert ("rules are checked once this is corrected" in ended.err) is not is_reached


def test_of_many_like_errors_some_are_shown(tmp_path: Path) -> None:
    folder = shutil.copytree(DEMO, tmp_path / "demo")
    (folder / "hosts").mkdir(exist_ok=True)
    nics = ", ".join("{rail: 0, port: 0}" for _ in range(20))
    text = f"hosts: [{{names: gpu001, nics: [{nics}]}}]\n"
    (folder / "hosts" / "a.yaml").write_text(text, encoding="utf-8")
    lines = run("check", folder).err.splitlines()
    assert sum("found the number 0" in line for line in lines) == 5
    assert "    15 more that differ in names and numbers alone" in lines
    assert "20 errors" in lines[-1]
