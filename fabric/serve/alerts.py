"""Alerts of Alertmanager as conditions: what it sends decides where jobs go.

Form of its webhook, version 4: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.placement.condition import ConditionBody
from fabric.placement.engine.now import now
from fabric.placement.engine.state import Condition, Health

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.serve.book import Book
    from fabric.serve.requests import AlertBody, AlertsBody
    from fabric.topology.model import Fabric

#: Label of an alert that becomes a condition: down, drained or degraded.
HEALTH = "health"
_MOST_REASON = 200
_NOT_PRINTABLE = re.compile(r"[^ -~]")
#: From the worst: a condition is replaced by a worse one only.
_ORDER = tuple(Health)


def conditions_of(body: AlertsBody, fabric: Fabric) -> tuple[dict[str, AlertBody], list[str]]:
    """Return alerts by the subject of their condition, and subjects that the fabric lacks.

    An alert without the label ``health`` is none of ours. Where two are about one subject, one
    that fires counts more than one that is resolved.
    """
    ours: dict[str, AlertBody] = {}
    unknown = []
    for alert in sorted(body.alerts, key=lambda one: one.status == "firing"):
        if _health(alert) is None:
            continue
        subject = _subject(alert.labels)
        try:
            now(fabric, [Condition(subject, Health.DOWN)])
        except InputError:
            unknown.append(subject)
        else:
            ours[subject] = alert
    return ours, unknown


def changes(alerts: Mapping[str, AlertBody], book: Book) -> dict[str, ConditionBody | None]:
    """Return what alerts change of the state.

    A condition that somebody else set stays, unless the alert is worse; an alert that is resolved
    removes only what itself has set.
    """
    changed: dict[str, ConditionBody | None] = {}
    for subject, alert in alerts.items():
        before, health = book.conditions.get(subject), _health(alert)
        if health is None:
            continue
        if alert.status == "resolved":
            if before and before.reason.startswith(_sign(alert)):
                changed[subject] = None
        elif before is None or _ORDER.index(health) < _ORDER.index(before.health):
            changed[subject] = ConditionBody(health=health, reason=_reason(alert))
    return changed


def _health(alert: AlertBody) -> Health | None:
    with suppress(ValueError):
        return Health(alert.labels.get(HEALTH, ""))
    return None


def _subject(labels: Mapping[str, str]) -> str:
    port = labels.get("port", "")
    return labels.get("device", "") + (f":{port}" if port else "")


def _sign(alert: AlertBody) -> str:
    return _printable(f"alert {alert.labels.get('alertname', '')}: ")


def _reason(alert: AlertBody) -> str:
    return (_sign(alert) + _printable(alert.annotations.get("summary", "")))[:_MOST_REASON]


def _printable(text: str) -> str:
    return _NOT_PRINTABLE.sub("?", text)
