"""A CronJob that reads the fabric and writes its state to the nodes, from inside of the cluster."""

from __future__ import annotations

from typing import Any

#: How often, and how long one run may take; our choice. A later run waits for none before it.
_SCHEDULE, _LONGEST_S = "*/5 * * * *", 280
#: A user without rights, as in the Dockerfile of this repository; any other may stand there.
_USER = 10001
#: `observe` ends with 3 where devices could not be read: what is known of the others counts.
_SCRIPT = """\
rocefab observe "$INVENTORY" --format json > state.json || [ $? -eq 3 ] || exit 1
rocefab export node-health "$INVENTORY" --avoid-state state.json \\
  --what status --what script --out nodes || exit 1
exec sh nodes/apply.sh
"""


def cron_job(own: str, namespace: str, image: str) -> dict[str, Any]:
    """Return the manifest.

    Parameters
    ----------
    own : str
        Of the CronJob, of its ServiceAccount, and of the Secret with variables for rocefab.
    image : str
        Container image with rocefab, kubectl and a shell.
    """
    container = {
        "name": "node-health",
        "image": image,
        "command": ["/bin/sh", "-c", _SCRIPT],
        "workingDir": "/work",
        "env": [
            {"name": "INVENTORY", "value": "/inventory"},
            *({"name": name, "value": "/work"} for name in ("HOME", "TMPDIR")),
        ],
        "envFrom": [{"secretRef": {"name": own}}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "inventory", "mountPath": "/inventory", "readOnly": True},
            {"name": "work", "mountPath": "/work"},
        ],
    }
    claim = {"claimName": "rocefab-inventory", "readOnly": True}
    pod = {
        "serviceAccountName": own,
        "restartPolicy": "Never",
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
        "volumes": [
            {"name": "inventory", "persistentVolumeClaim": claim},
            {"name": "work", "emptyDir": {}},
        ],
    }
    job = {"backoffLimit": 0, "activeDeadlineSeconds": _LONGEST_S, "template": {"spec": pod}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": own, "namespace": namespace},
        "spec": {
            "schedule": _SCHEDULE,
            "concurrencyPolicy": "Forbid",
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 1,
            "jobTemplate": {"spec": job},
        },
    }
