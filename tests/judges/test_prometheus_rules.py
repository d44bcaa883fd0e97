"""promtool runs each rule of `export prometheus` over series that alert, and that do not."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from tests.judges.conftest import missing_judge
from tests.judges.test_prometheus import promtool  # noqa: F401 - a fixture
from tests.topology.fabrics import REPOSITORY

RULES = REPOSITORY / "templates" / "prometheus" / "rules.yml"
#: What the inventory says: a leaf and a host with one cable, whose lossless class is priority 3.
PLAN = """\
rocefab_device_info{device="leaf1",fabric="demo",role="leaf",rail="0"}
rocefab_device_info{device="gpu1",fabric="demo",role="host"}
rocefab_port_info{device="leaf1",port="p1",peer_device="gpu1",peer_port="eth1",link="nic",rail="0"}
rocefab_port_info{device="gpu1",port="eth1",peer_device="leaf1",peer_port="p1",link="nic",rail="0"}
rocefab_lossless_class_info{device="leaf1",class="lossless",priority="3",queue="3",priority_group="3"}
rocefab_lossless_class_info{device="gpu1",class="lossless",priority="3",queue="",priority_group=""}
""".splitlines()
STILL, RISES = "7x60", "0+60x60"
LEAF, NIC = 'device="leaf1",port="p1"', 'device="gpu1",port="eth1"'


@dataclass(frozen=True)
class Case:
    """Series that make an alert fire after half an hour, and those that do not.

    Parameters
    ----------
    fires, silent : mapping of str to str
        Values of each series, a reading every minute, as promtool writes them.
    labels : str
        Labels of the alert that tell where it is.
    """

    alert: str
    fires: dict[str, str]
    silent: dict[str, str]
    labels: dict[str, str]


def counter(alert: str, name: str, labels: str, quiet: str = "", **shown: str) -> Case:
    """Return the case of a counter: it rises, or it stays, or another one rises."""
    silent = {f"{name}{{{labels}}}": STILL}
    if quiet:
        silent[f"{name}{{{quiet}}}"] = RISES
    pairs = dict(pair.split("=") for pair in labels.replace('"', "").split(","))
    return Case(alert, {f"{name}{{{labels}}}": RISES}, silent, {**pairs, **shown})


QUEUE, GROUP = f'{LEAF},queue="3"', f'{LEAF},priority_group="3"'
SENT = 'priority="3",direction="sent"'
PAUSES, MARKS = "rocefab_pfc_pause_frames_total", "rocefab_ecn_marked_packets_total"
FINDING = 'device="leaf1",port="p1",rule="OBS105"'
UP, TABLE = "rocefab_port_up", 'device="leaf1",table="ipv4_route"'
CASES = [
    Case(
        "RocefabNotObserved",
        {"rocefab_other": "1x60"},
        {'rocefab_device_read{device="leaf1",platform="sonic"}': "0x60"},
        {},
    ),
    Case(
        "RocefabDeviceUnread",
        {'rocefab_device_read{device="leaf1",platform="sonic"}': "0x60"},
        {'rocefab_device_read{device="leaf1",platform="sonic"}': "1x27 0x60"},
        {"device": "leaf1", "platform": "sonic"},
    ),
    Case(
        "RocefabReadingUnknown",
        {'rocefab_reading_unknown{device="leaf1",reading="queues"}': "1x60"},
        {'rocefab_reading_unknown{device="leaf1",reading="queues"}': "_x20 1x60"},
        {"device": "leaf1", "reading": "queues"},
    ),
    counter(
        "RocefabLosslessQueueDrops",
        "rocefab_queue_dropped_packets_total",
        QUEUE,
        f'{LEAF},queue="0"',
    ),
    counter(
        "RocefabLosslessGroupDrops",
        "rocefab_priority_group_dropped_packets_total",
        GROUP,
        f'{LEAF},priority_group="0"',
    ),
    counter("RocefabPfcStorm", "rocefab_pfc_watchdog_storms_total", QUEUE),
    counter("RocefabNicPauseStorm", "rocefab_nic_pause_storm_errors_total", NIC),
    Case(
        "RocefabSlowReceiver",
        {f"{PAUSES}{{{NIC},{SENT}}}": RISES},
        {f'{PAUSES}{{{NIC},priority="3",direction="received"}}': RISES},
        {"device": "gpu1", "port": "eth1"},
    ),
    counter(
        "RocefabPauseOutsideLossless",
        PAUSES,
        f'{LEAF},priority="4",direction="received"',
        f'{LEAF},priority="3",direction="received"',
    ),
    Case(
        "RocefabPauseWithoutEcn",
        {f"{PAUSES}{{{LEAF},{SENT}}}": RISES, f"{MARKS}{{{QUEUE}}}": STILL},
        {f"{PAUSES}{{{LEAF},{SENT}}}": RISES, f"{MARKS}{{{QUEUE}}}": RISES},
        {"device": "leaf1"},
    ),
    Case(
        "RocefabPauseWithoutEcn",
        {
            f"{PAUSES}{{{LEAF},{SENT}}}": RISES,
            f"rocefab_port_ecn_marked_packets_total{{{LEAF}}}": STILL,
        },
        {f"{PAUSES}{{{LEAF},{SENT}}}": RISES},  # marks are unknown
        {"device": "leaf1"},
    ),
    counter("RocefabCnpIgnored", "rocefab_nic_cnp_ignored_total", NIC),
    *(
        Case(
            alert,
            {f'rocefab_finding{{{FINDING},severity="{severity}"}}': "1x60"},
            {
                f'rocefab_finding{{{FINDING},severity="{other}"}}': "1x60",
                f'rocefab_finding{{{FINDING},severity="{severity}"}}': "1x20",
            },
            {"device": "leaf1", "port": "p1", "rule": "OBS105"},
        )
        for alert, severity, other in (
            ("RocefabFindingError", "error", "warning"),
            ("RocefabFindingWarning", "warning", "error"),
        )
    ),
    counter("RocefabOutOfSequence", "rocefab_nic_out_of_sequence_packets_total", NIC),
    counter("RocefabAckTimeouts", "rocefab_nic_ack_timeouts_total", NIC),
    counter("RocefabOutOfBuffer", "rocefab_nic_out_of_buffer_drops_total", NIC),
    counter("RocefabFecUncorrected", "rocefab_port_fec_uncorrected_codewords_total", LEAF),
    counter("RocefabPortErrors", "rocefab_port_errors_total", f'{LEAF},direction="received"'),
    Case(
        "RocefabPortDown",
        {f"{UP}{{{LEAF}}}": "0x60"},
        {f'{UP}{{device="leaf1",port="p9"}}': "0x60", f"{UP}{{{LEAF}}}": "1x60"},
        {
            "device": "leaf1",
            "port": "p1",
            "peer_device": "gpu1",
            "peer_port": "eth1",
            "link": "nic",
            "rail": "0",
        },
    ),
    Case(
        "RocefabBgpDown",
        {'rocefab_bgp_session_up{device="leaf1",peer="192.0.2.1"}': "0x60"},
        {'rocefab_bgp_session_up{device="leaf1",peer="192.0.2.1"}': "0x29 1x60"},
        {"device": "leaf1", "peer": "192.0.2.1"},
    ),
    counter("RocefabLinkFlaps", "rocefab_port_carrier_changes_total", LEAF),
    counter("RocefabLinkFlaps", "rocefab_nic_link_downs_total", NIC),
    Case(
        "RocefabTableNearlyFull",
        {
            f"rocefab_table_entries{{{TABLE}}}": "90x60",
            f"rocefab_table_entries_limit{{{TABLE}}}": "100x60",
        },
        {
            f"rocefab_table_entries{{{TABLE}}}": "80x60",
            f"rocefab_table_entries_limit{{{TABLE}}}": "100x60",
        },
        {"device": "leaf1", "table": "ipv4_route"},
    ),
]


def unit_test(case: Case, rule: dict[str, Any], *, fires: bool) -> dict[str, Any]:
    """Return a test of promtool."""
    expected = {
        "exp_labels": {**rule["labels"], **case.labels},
        "exp_annotations": {
            name: printed(text, case.labels) for name, text in rule["annotations"].items()
        },
    }
    series = {**dict.fromkeys(PLAN, "1x60"), **(case.fires if fires else case.silent)}
    return {
        "rule_files": [str(RULES)],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": k, "values": v} for k, v in series.items()],
                "alert_rule_test": [
                    {
                        "eval_time": "31m",
                        "alertname": case.alert,
                        "exp_alerts": [expected] if fires else [],
                    }
                ],
            }
        ],
    }


def printed(text: str, labels: dict[str, str]) -> str:
    """Return an annotation; every counter of the cases rises by 1 a second."""
    for name, value in labels.items():
        text = text.replace(f"{{{{ $labels.{name} }}}}", value)
    text = text.replace("{{ $value | humanize }}", "1")
    return text.replace("{{ $value | humanizePercentage }}", "90%")


def alerts() -> dict[str, dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}


@pytest.mark.parametrize("fires", [True, False], ids=["fires", "silent"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.alert)
def test_an_alert(promtool: str, case: Case, fires: bool, tmp_path) -> None:  # noqa: F811
    rule = alerts()[case.alert]
    test = unit_test(case, rule, fires=fires)
    file = tmp_path / "test.yml"
    file.write_text(yaml.safe_dump(test))
    done = subprocess.run(
        [promtool, "test", "rules", str(file)], capture_output=True, text=True, check=False
    )
    print(done.stdout, done.stderr)
    assert done.returncode == 0


def test_every_alert_has_a_case() -> None:
    assert set(alerts()) == {case.alert for case in CASES}


def test_promtool_lints_the_rules(promtool: str) -> None:  # noqa: F811
    done = subprocess.run(
        [promtool, "check", "rules", "--lint-fatal", str(RULES)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("program", "words", "begins"),
    [
        ("promtool", ("check", "config", "--syntax-only"), "# /etc/prometheus/prometheus.yml"),
        ("amtool", ("check-config",), "# /etc/prometheus/alertmanager.yml"),
    ],
)
def test_the_configuration_of_the_docs(
    program: str, words: tuple[str, ...], begins: str, tmp_path
) -> None:
    """What docs/observe.md shows is what both programs take."""
    if shutil.which(program) is None:
        missing_judge(f"{program} (Debian packages prometheus and prometheus-alertmanager)")
    page = (REPOSITORY / "docs" / "observe.md").read_text()
    (block,) = [
        part
        for part in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
        if part.startswith(begins)
    ]
    file = tmp_path / "config.yml"
    file.write_text(block)
    done = subprocess.run([program, *words, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
