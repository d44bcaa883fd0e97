"""A lab, `observe --listen`, a real Prometheus, a real Alertmanager and `serve`, as a chain."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml

from fabric.core.exports import export, exporters
from fabric.exchange.network import plant
from fabric.lab.lab import Lab
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.cli.runs import ROCEFAB, ROOT, clean_environment, process
from tests.judges.conftest import missing_judge
from tests.serve.servers import process as serve
from tests.waiting import until

DEMO = ROOT / "inventory" / "demo"
DEAF = "su1-rail1"  # its port in connections.json is closed
SERVERS = ("prometheus", "prometheus-alertmanager")


@dataclass(frozen=True)
class Chain:
    """What listens where."""

    prometheus: httpx.Client
    alertmanager: httpx.Client
    service: httpx.Client
    lab: Lab

    def query(self, text: str) -> list[dict]:
        """Return the series of a query; what Prometheus rejects fails the test."""
        answer = self.prometheus.get("/api/v1/query", params={"query": text}).json()
        assert answer["status"] == "success", (text, answer)
        return answer["data"]["result"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(folder: Path, *words: object, ready: str) -> Iterator[str]:
    """Run a program until the body ends; wait until its output has a word, return the output."""
    log = folder / f"{Path(str(words[0])).name}-{free_port()}.log"
    line, env = [str(word) for word in words], clean_environment()
    env["ROCEFAB_PASSWORD"] = "lab-password"
    with (
        log.open("wb") as out,
        subprocess.Popen(line, cwd=folder, env=env, stdout=out, stderr=out) as child,
    ):
        try:
            until(lambda: child.poll() is not None or ready in log.read_text(), f"{line[0]} starts")
            assert child.poll() is None, log.read_text()
            yield log.read_text()
        finally:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(60)
            child.kill()
    assert "Traceback" not in log.read_text()


def configured(folder: Path, metrics: str, alertmanager: int, service: str) -> tuple[Path, Path]:
    """Write what both programs are configured with; alerts need not last, as a test is short."""
    process("export", "prometheus", DEMO, "--out", folder / "rules")
    rules = folder / "rules" / "rocefab.rules.yml"
    rules.write_text(re.sub(r"for: \d+m", "for: 0s", rules.read_text()))
    scrape = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "alerting": {
            "alertmanagers": [{"static_configs": [{"targets": [f"127.0.0.1:{alertmanager}"]}]}]
        },
        "scrape_configs": [{"job_name": "rocefab", "static_configs": [{"targets": [metrics]}]}],
    }
    hook = {
        "route": {"receiver": "rocefab", "group_wait": "1s", "group_interval": "1s"},
        "receivers": [
            {"name": "rocefab", "webhook_configs": [{"url": f"{service}/v1/alerts"}]},
        ],
    }
    files = folder / "prometheus.yml", folder / "alertmanager.yml"
    for file, content in zip(files, (scrape, hook), strict=True):
        file.write_text(yaml.safe_dump(content))
    return files


@pytest.fixture(scope="module")
def chain(tmp_path_factory) -> Iterator[Chain]:
    for name in SERVERS:
        if shutil.which(name) is None:
            missing_judge(f"{name} (Debian package {name})")
    folder = tmp_path_factory.mktemp("chain")
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("ROCEFAB_PASSWORD", "lab-password")
        lab = stack.enter_context(laboratory(Project(DEMO), folder))
        configure(folder)
        connections = deaf(folder / CONNECTIONS)
        (folder / "state").mkdir()
        state = folder / "state"
        service = stack.enter_context(serve(state, DEMO, "--state", state / "kept")).client
        words = ("observe", DEMO, "--connections", connections, "--interval-s", 1)
        log = stack.enter_context(
            running(folder, *ROCEFAB, *words, "--listen", "127.0.0.1:0", ready="/metrics")
        )
        metrics = re.search(r"http://(\S+)/metrics", log)[1]
        ports = free_port(), free_port()
        files = configured(folder, metrics, ports[1], str(service.base_url))
        options = {
            "prometheus": [f"--config.file={files[0]}", f"--storage.tsdb.path={folder / 'tsdb'}"],
            "prometheus-alertmanager": [
                *(f"--config.file={files[1]}", f"--storage.path={folder / 'alerts'}"),
                "--cluster.listen-address=",
            ],
        }
        clients = []
        for name, port in zip(SERVERS, ports, strict=True):
            line = (name, *options[name], f"--web.listen-address=127.0.0.1:{port}")
            stack.enter_context(running(folder, *line, ready="Listening on"))
            base_url = f"http://127.0.0.1:{port}"
            client = httpx.Client(base_url=base_url, timeout=60, trust_env=False)
            clients.append(stack.enter_context(client))
        yield Chain(*clients, service, lab)


def configure(folder: Path) -> None:
    """Bring the design to the lab, whose devices are empty at first."""
    to_lab = ("--connections", folder / CONNECTIONS)
    words = (*to_lab, "--out", folder / "plan.json")
    planned = process("plan", DEMO, *words, ROCEFAB_PASSWORD="lab-password")
    assert planned.code == 0, planned.said
    state = ("--state", folder / "runs")
    words = ("apply", folder / "plan.json", *to_lab, *state, "--commit")
    applied = process(*words, ROCEFAB_PASSWORD="lab-password")
    assert applied.code == 0, applied.said


def deaf(file: Path) -> Path:
    """Return a connections file in which one device does not answer."""
    content = json.loads(file.read_text())
    content["devices"][DEAF]["port"] = 1
    changed = file.with_name("deaf.json")
    changed.write_text(json.dumps(content))
    return changed


def test_prometheus_scrapes_every_device(chain: Chain) -> None:
    project = Project(DEMO)
    names = {*project.fabric.switches.names, *project.fabric.hosts.names}

    def read() -> dict[str, str]:
        return {
            one["metric"]["device"]: one["value"][1] for one in chain.query("rocefab_device_read")
        }

    until(lambda: read().keys() == names, "every device is scraped")
    assert {name for name, value in read().items() if value == "0"} == {DEAF}
    (up,) = chain.query('up{job="rocefab"}')
    assert up["value"][1] == "1"
    meta = chain.prometheus.get("/api/v1/targets/metadata").json()["data"]
    types = {one["metric"]: one["type"] for one in meta}
    assert types["rocefab_pfc_pause_frames_total"] == "counter"
    assert types["rocefab_port_info"] == "gauge"


def test_an_alert_keeps_jobs_away_until_it_is_resolved(chain: Chain) -> None:
    """A cable is pulled: Prometheus, Alertmanager, a condition of the service; and back."""

    def conditions() -> dict[str, dict]:
        return chain.service.get("/v1/state").json()["conditions"]

    chain.lab["su1-rail0"].unplugged.add("Ethernet0")
    until(lambda: "su1-rail0:Ethernet0" in conditions(), "the alert becomes a condition")
    assert conditions()["su1-rail0:Ethernet0"] == {
        "health": "down",
        "reason": "alert RocefabPortDown: su1-rail0 Ethernet0 is down",
        "capacity": 0.0,
    }
    sent = chain.alertmanager.get("/api/v2/alerts").json()
    assert "RocefabDeviceUnread" in {one["labels"]["alertname"] for one in sent}
    chain.lab["su1-rail0"].unplugged.clear()
    until(lambda: not conditions(), "the condition ends")


def test_every_query_of_the_dashboards_runs(chain: Chain) -> None:
    until(lambda: chain.query("rocefab_device_info"), "the plan is scraped")
    done = export(plant(Project(DEMO).fabric), exporters["grafana"])
    queries = [
        (panel["title"], target["expr"])
        for file in done.files
        for panel in json.loads(file.content)["panels"]
        for target in panel["targets"]
    ]
    assert len(queries) > 20
    for _, query in queries:
        text = query.replace("$__rate_interval", "30s").replace("$job", "train")
        chain.query(text.replace("$rail", "0").replace("$host", "gpu001"))


def test_every_rule_runs(chain: Chain) -> None:
    def groups() -> list[dict]:
        return chain.prometheus.get("/api/v1/rules").json()["data"]["groups"]

    until(
        lambda: all(rule["health"] != "unknown" for group in groups() for rule in group["rules"]),
        "every rule is evaluated",
    )
    wrong = [
        (rule["name"], rule.get("lastError"))
        for group in groups()
        for rule in group["rules"]
        if rule["health"] != "ok"
    ]
    assert wrong == []
