"""Alerts of Alertmanager become conditions, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

PORT = "su1-rail0:Ethernet0"


def alert(status: str = "firing", **labels: str) -> dict[str, Any]:
    return {
        "status": status,
        "labels": {"alertname": "Down", "device": "gpu001", "health": "down", **labels},
        "annotations": {"summary": "it is down", "description": "more"},
        "startsAt": "2026-11-24T12:00:00Z",
        "fingerprint": "c7dd4b2d1d5f1d26",
    }


def send(client, *alerts: dict[str, Any]) -> dict[str, Any]:
    body = {"version": "4", "groupKey": "{}", "receiver": "rocefab", "alerts": list(alerts)}
    answer = client.post("/v1/alerts", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def conditions(client) -> dict[str, str]:
    state = client.get("/v1/state").json()["conditions"]
    return {subject: f"{one['health']}: {one['reason']}" for subject, one in state.items()}


def test_a_firing_alert_keeps_jobs_away_until_it_is_resolved(own) -> None:
    assert send(own, alert())["set"] == ["gpu001"]
    assert conditions(own) == {"gpu001": "down: alert Down: it is down"}
    placed = own.post("/v1/placements", json={"nodes": 3}).json()
    assert "gpu001" in placed["not_considered"]
    assert send(own, alert("resolved"))["removed"] == ["gpu001"]
    assert conditions(own) == {}


def test_a_port_is_the_end_of_a_cable(own) -> None:
    leaf = alert(device="su1-rail0", port="Ethernet0", health="drained")
    assert send(own, leaf)["set"] == [PORT]
    assert conditions(own) == {PORT: "drained: alert Down: it is down"}


def test_what_is_not_about_the_fabric_changes_nothing(own) -> None:
    answer = send(
        own,
        alert(health=""),
        alert(health="bad"),
        alert(device="nowhere"),
        alert(device="gpu001", port="eth99"),
    )
    assert (answer["set"], answer["unknown"]) == ([], ["nowhere", "gpu001:eth99"])
    assert answer["state"]["version"] == 0


def test_the_word_of_somebody_else_stays(own) -> None:
    own.patch("/v1/state", json={"conditions": {"gpu001": {"health": "drained", "reason": "me"}}})
    assert send(own, alert(health="degraded"))["set"] == []
    assert send(own, alert("resolved"))["removed"] == []
    assert conditions(own) == {"gpu001": "drained: me"}
    assert send(own, alert())["set"] == ["gpu001"], "a worse one counts"


def test_an_alert_removes_only_its_own_condition(own) -> None:
    send(own, alert())
    assert send(own, alert("resolved", alertname="Other"))["removed"] == []
    assert send(own, alert(), alert("resolved", alertname="Other"))["removed"] == []
    assert list(conditions(own)) == ["gpu001"]


def test_an_alert_that_is_sent_again_changes_nothing(own) -> None:
    send(own, alert())
    assert send(own, alert())["state"]["version"] == 1


def test_hostile_texts_stay_one_line(own) -> None:
    hostile = {**alert(), "annotations": {"summary": "a\nb\x1b[31m" + "é" * 500}}
    send(own, hostile)
    reason = own.get("/v1/state").json()["conditions"]["gpu001"]["reason"]
    assert len(reason) == 200
    assert reason.isascii()
    assert reason.isprintable()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"version": "5", "alerts": []}, "version"),
        ({"version": "4"}, "alerts"),
        ({"version": "4", "alerts": [{"status": "new", "labels": {}}]}, "alerts[0].status"),
        ({"version": "4", "alerts": [{"status": "firing"}]}, "alerts[0].labels"),
    ],
)
def test_another_body_is_rejected(shared, body: dict[str, Any], field: str) -> None:
    answer = shared.post("/v1/alerts", json=body)
    assert answer.status_code == 422
    assert field in [one["field"] for one in answer.json()["findings"]]
