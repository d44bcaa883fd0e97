"""Canaries where secrets can be; every verb, in every form, leaves them where they were.

Planted: the password of the devices and the token of NetBox in the environment, and hashes,
communities and passwords of neighbours in running configurations. States that a run keeps for its
rollback hold secrets; their owner alone can read them.
"""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing

import pytest

from fabric.lab.faults import Fault
from fabric.workflow.laboratory import laboratory
from fabric.workflow.project import Project
from tests.change import labs
from tests.cli.runs import run
from tests.cli.tree import leaves
from tests.exchange.saved_outputs import NXOS_MODULE

pytestmark = pytest.mark.fault(22)

CANARY = "canary7Qx"
#: Verbs that run elsewhere, with what they need.
ELSEWHERE = {
    "lab up": "runs until it is stopped; tests/cli/test_lab.py has its secrets",
    "lab down": "needs root; it reads no device",
    "demo": "has a lab and a password of its own",
    "adopt-serials": "edits an inventory; it reads no device and knows no secret",
    "replace": "edits an inventory and takes a key out of the connections file",
    "mcp": "answers a client; it knows no secret: tests/mcp_server/test_tools.py",
    "first-contact": "needs a management network; tests/boot/test_first_contact.py looks for its "
    "password",
    **{
        f"tenant {verb}": "edits an inventory; it reads no device and knows no secret"
        for verb in ("add", "grant", "revoke", "move", "remove", "release-id")
    },
}
#: Forms of a command that runs until it is stopped.
UNTIL_STOPPED = {("drift", "jsonl"): "with --watch alone; tests/workflow/test_drift_watch.py"}
#: In this order, on a lab. ``I`` is the inventory.
CALLS = {
    "init": "fresh",
    "check": "I",
    "render": "I --out rendered",
    "explain": "I su1-rail0 Ethernet0",
    "export": "dot I --out exported",
    "import": "dot exported/topology.dot --base I --out imported",
    "draw": "I --out drawn.svg",
    "whatif": "I --fail switch:spine01",
    "expect": "I",
    "suspect": "I",
    "simulate": "--star --incast 2 --duration-ms 0.05",
    "diff": "I I",
    "observe": "I --once",
    "serve": "I --check",
    "cabling": "I",
    "plan": "I --out plan.json",
    "approve": "plan.json --withdraw",
    "apply": "plan.json --commit --reason test",
    "status": "1",
    "report": "1",
    "verify": "I",
    "drift": "I",
    "judge": "I --interval-s 1",
    "accept": "I --plan",
    "probe": "I",
    "prove": "I",
    "audit": "backups",
    "adopt": "I --running",
    "place": "I --nodes 1",
    "ansible": "I",
    "rollback": "1 --commit",
    "completion": "bash",
    "man": "--out man1",
    "show config": "",
    "show platforms": "ACS-MSN4700",
    "show rules": "QOS024",
    "show defects": "",
    "show schema": "",
    "show paths": "I --leaf su1-rail0",
    "show cable": "I gpu1 eth1",
    "models add": "--from ../saved.txt --out I --name Own",
}
#: Further calls of verbs that print something else then.
ALSO = [
    ("status", ""),
    ("status", "--verify"),
    ("status", "--out journal.jsonl"),
    ("status", "--devices"),
    ("export", "rights I --out rights"),
    ("verify", "I --window-s 0.1"),
    ("plan", "I --out plan2.json"),
    ("apply", "plan2.json"),
]
#: What must succeed, as else it may never have come to what it prints.
CHANGING = {"plan", "apply", "rollback"}
SPINE_LINES = f"""\
username eve privilege 15 secret sha512 $6$x${CANARY}spine
snmp-server community {CANARY}community ro
router bgp 65000
   neighbor 10.254.0.1 password 7 {CANARY}neighbor
"""
#: A session whose first output is none of a model's business.
SAVED = f"leaf1# show running-config\nusername eve password 5 {CANARY}saved\nleaf1# show module\n"
SAVED += NXOS_MODULE
SONIC_ROWS = [
    ("TACPLUS", "global", "passkey", f"{CANARY}tacacs"),
    ("SNMP_COMMUNITY", f"{CANARY}snmp", "TYPE", "RO"),
    ("BGP_NEIGHBOR", "10.254.0.0", "auth_password", f"{CANARY}bgp"),
]


@pytest.fixture
def folder(planted):
    """Return an empty folder where the verbs run."""
    return planted[0]


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Return that folder, and its lab with secrets everywhere."""
    work = tmp_path / "work"
    work.mkdir()
    two_hosts = labs.INVENTORY.replace("hosts: gpu1", "hosts: 'gpu[1-2]'")
    project = Project(labs.write_inventory(work / "inventory", two_hosts))
    variables = {
        "ROCEFAB_PASSWORD": f"{CANARY}password",
        "ROCEFAB_NETBOX_TOKEN": f"{CANARY}token",
        "GITHUB_TOKEN": f"{CANARY}github",
        "ROCEFAB_CONNECTIONS": str(tmp_path / "lab" / "connections.json"),
        "XDG_STATE_HOME": str(work / "state"),
        "XDG_CACHE_HOME": str(work / "cache"),
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(work)
    with laboratory(project, tmp_path / "lab") as lab:
        plant(lab)
        (tmp_path / "backups").mkdir()
        (tmp_path / "backups" / "spine01.cfg").write_text(lab[labs.SPINE].running_text)
        (tmp_path / "saved.txt").write_text(SAVED)
        yield work, lab


def plant(lab):
    """Put secrets into the running configurations."""
    spine, leaf = lab[labs.SPINE], lab[labs.LEAF]
    number = re.search(r"^router bgp (\d+)$", spine.running_text, re.MULTILINE)
    spine.hand_edit(SPINE_LINES.replace("65000", number[1] if number else "65000"))
    for row in SONIC_ROWS:
        leaf.hand_edit(*row)
    assert spine.running_text.count(CANARY) == 3
    assert str(leaf.running).count(CANARY) == 3


def forms(leaf):
    """Return the output forms of a verb, as the verb itself names them."""
    if not any("--format" in option.opts for option in leaf.options):
        return [()]
    said = run(*leaf.words, "--format", "nonsense").err
    names = re.findall(r"'([a-z]+)'", said.partition("not one of")[2])
    assert names, said
    return [("--format", name) for name in names if (leaf.name, name) not in UNTIL_STOPPED]


def words(text):
    places = {"I": "inventory", "backups": "../backups"}
    return [places.get(word, word) for word in text.split()]


def leaking(folder):
    """Return the files with a canary, but for states that their owner alone can read."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        if path.name.endswith(".before.json"):
            assert path.stat().st_mode & 0o077 == 0
        elif CANARY.encode() in path.read_bytes():
            yield path


#: What a switch says of a configuration that it refuses: the value is in it, before its field.
REFUSAL = f"""\
Error: Value "{CANARY}tacacs" does not satisfy the constraint. (path: /s:s/TACPLUS/global/passkey)
{{"SNMP_COMMUNITY": {{"{CANARY}snmp": {{"TYPE": "RO"}}}}, "passkey": "{CANARY}tacacs"}}"""


def test_what_a_device_says_is_shown_without_canary_and_what_it_was_is_exact(planted):
    folder, lab = planted
    before = json.loads(json.dumps(lab[labs.LEAF].running))
    lab[labs.LEAF].faults.add(Fault("refuse_line", "config (load|reload)", times=0, text=REFUSAL))
    assert run("plan", "inventory", "--out", "plan.json").code == 0
    ended = run("apply", "plan.json", "--commit")
    assert ended.code == 3, ended.said
    assert "does not satisfy the constraint" in ended.said
    said = [ended.said, *(run("status", run_number).said for run_number in ("", "1"))]
    assert not [text for text in said if CANARY in text]
    assert list(leaking(folder)) == []
    (kept,) = folder.rglob(f"{labs.LEAF}.before.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert json.loads(kept.read_text())["config"] == before


@pytest.mark.waits
def test_no_verb_shows_a_canary(folder):
    by_name = {leaf.name: leaf for leaf in leaves()}
    shows = {name for name in by_name if name.startswith("show ")} - set(CALLS)
    calls = [*CALLS.items(), *ALSO, *((name, "I") for name in sorted(shows))]
    assert {name for name, _ in calls} == set(by_name) - set(ELSEWHERE)
    said = ""
    for name, text in calls:
        for form in forms(by_name[name]):
            ended = run(*by_name[name].words, *words(text), *form)
            assert ended.code not in (1, 2), (name, text, form, ended.said)
            assert not ended.code or name not in CHANGING, ended.said
            assert CANARY not in ended.said, (name, text, form)
            said += ended.said
    assert "***" in said
    assert list(leaking(folder)) == []
    (journal,) = folder.rglob("journal.sqlite3")
    with closing(sqlite3.connect(journal)) as connection:
        assert CANARY not in "".join(connection.iterdump())
