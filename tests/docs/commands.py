"""The commands that the README, the docs and the help print, and what each needs beside it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.tree import leaves

ROOT = Path(__file__).parents[2]
PAGES = sorted([
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("playbooks/*.md"),
    ROOT / "README.md",
])
#: Printed, and not run: a server that is somewhere else, and words that stand for others.
NOT_RUN = {
    "rocefab import netbox https://netbox.example.net --site dc1 --out mine "
    "--model MSN4700-WS2FC=ACS-MSN4700": "tests/exchange has a NetBox of its own",
    "rocefab export netbox inventory/demo --push https://netbox.example.net --site dc1": "the same",
    "rocefab export netbox inventory/demo --push https://netbox.example.net --site dc1 "
    "--commit": "the same",
    "rocefab demo --platforms all": "tests/workflow/test_demo.py",
    "rocefab diff main~1..main inventory/demo": "tests/cli/test_diff.py has a repository",
    """rocefab diff main~1..main inventory/demo --format json | python3 -I -c 'import json, sys; """
    """diff = json.load(sys.stdin); sys.exit("judged" not in diff or any(one["severity"] """
    """!= "info" for one in (diff["judged"] or {"new": []})["new"]))'""": "the recipes of CI "
    "have a repository",
    "rocefab prove inventory/demo --against main": "tests/prove/test_against.py has a repository",
    "rocefab prove inventory/demo --batfish 127.0.0.1:9996": "tests/prove/batfish has a service",
    "rocefab prove inventory/demo --batfish 127.0.0.1:9996 --engine both": "the same",
    "rocefab lab up inventory/demo": "runs until it is stopped: tests/cli/test_lab.py",
    "rocefab lab up --real inventory/demo": "needs root: tests/reallab/test_ends.py",
    "rocefab lab down --real": "needs root: tests/reallab/test_ends.py",
    "rocefab lab up inventory/demo --out lab": "runs until it is stopped: tests/cli/test_lab.py",
    "rocefab lab up my-fabric --out lab": "runs until it is stopped: the tests of the commands on "
    "it have such a lab",
    "rocefab lab up grown --out lab": "the same",
    "rocefab observe inventory/demo --interval-s 30 --listen 127.0.0.1:9469": "runs until it is "
    "stopped: tests/judges/test_prometheus_server.py",
    "rocefab observe inventory/demo --interval-s 30 "
    "--otlp http://127.0.0.1:4318/v1/metrics": "the same",
    "rocefab observe inventory/demo --interval-s 30 --out readings.jsonl": "runs until it is "
    "stopped: tests/workflow/test_observe.py",
    "rocefab observe inventory/demo --judge --interval-s 30 --events events.jsonl "
    "--syslog udp://192.0.2.10:514": "runs until it is stopped: tests/workflow/test_judge_watch.py",
    "rocefab observe inventory/demo --judge --interval-s 30 --listen 127.0.0.1:9469": "the same",
    "rocefab serve inventory/demo --readings readings.jsonl --drift drift.json": "the same",
    "rocefab judge inventory/demo": "ends with 4 on an empty lab: tests/workflow/test_judge.py",
    "rocefab judge inventory/demo --interval-s 30": "the same",
    "rocefab judge inventory/demo --interval-s 30 --jobs jobs.json": "the same",
    "rocefab judge inventory/demo --format junit > judge.xml": "the same",
    "rocefab judge inventory/demo --readings readings.jsonl --format json": "the same",
    "rocefab export node-health inventory/demo --avoid-state state.json --out node-health": "needs "
    "a state: tests/judges/test_node_health.py",
    "rocefab export node-health inventory/demo --avoid-state state.json --what rbac "
    "--what cronjob --image registry.example/rocefab:1 --out node-health": "the same",
    "rocefab export rails inventory/demo --snapshot readings.jsonl --what rail-features "
    "--out rails": "needs readings of the last 30 s: tests/workflow/test_rails.py",
    "rocefab drift inventory/demo --watch --events drift.jsonl": "runs until it is stopped: "
    "tests/workflow/test_drift_watch.py",
    "rocefab serve inventory/demo --drift drift.jsonl": "runs until it is stopped: "
    "tests/serve/test_drift.py",
    "rocefab apply plan.json --commit --approvals https://fabric.example.net:8780": "needs a "
    "service: tests/serve/test_review.py",
    "rocefab check inventory/demo --workers dask://127.0.0.1:8786": "needs a scheduler: "
    "tests/workflow/test_cluster.py",
    "rocefab serve inventory/demo --ztp ztp --listen 192.168.0.2:8781 --boot-log boot.log": "runs "
    "until it is stopped: tests/boot/test_serve.py",
    "rocefab serve inventory/demo --ztp ztp --listen 192.168.0.2:8443 --boot-log boot.log "
    "--own-ca ca": "the same",
    "rocefab first-contact inventory/demo --connections connections.json --window 30m": "waits for "
    "devices: tests/boot/test_first_contact.py",
    **{
        f"rocefab {line}": "reads the devices of the reader; the same line of inventory/demo is run"
        for line in ("plan mine --out plan.json", "drift mine --format json", "cabling mine")
    },
    "rocefab mcp inventory/demo": "answers on stdin: tests/mcp_server/test_tools.py",
    "rocefab serve inventory/demo": "runs until it is stopped: tests/docs/test_service.py",
    "rocefab serve inventory/demo --listen 127.0.0.1:8780": "the same",
}
#: Verbs that need devices.
ONLINE = {
    *("plan", "apply", "status", "rollback", "verify", "drift", "observe", "cabling", "probe"),
    *("accept", "report", "first-contact"),
}
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^(?:    |\$ |)(rocefab [a-z][^#\n]*)", re.MULTILINE)
_INLINE = re.compile(r"`(rocefab [a-z][^`]*)`")
_STANDS_FOR_ANOTHER = re.compile(r"\b[A-Z]{3,}\b(?![-0-9])|\.\.\.|\[[A-Zo]")
_MENTIONED = re.compile(r"(?!.*inventory/)rocefab [a-z -]+")


def documented() -> list[str]:
    """Return every line that can be typed as it is printed, each once."""
    lines = [leaf.example for leaf in leaves()]
    for page in PAGES:
        text = page.read_text()
        fences = "\n".join(_FENCE.findall(text))
        outside = _FENCE.sub("", text)
        lines += _INDENTED.findall(fences)
        lines += [line for line in _INDENTED.findall(outside) if "--" in line or "/" in line]
        lines += [line for line in _INLINE.findall(outside) if not _MENTIONED.fullmatch(line)]
    whole = (re.sub(r"\s+", " ", line).strip() for line in lines)
    return list(dict.fromkeys(one for one in whole if not _STANDS_FOR_ANOTHER.search(one)))


def is_online(line: str) -> bool:
    """Tell whether a command reads or changes devices, or the journal of such."""
    words = line.split()
    asks = words[1:3] == ["import", "lldp"] and words[3].startswith("inventory/")
    asks = asks or words[1:3] == ["export", "rails"]
    return words[1] in ONLINE or asks or "--running" in words
