"""A service with a plan for review and a journal with a run that has not ended."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.change.journal import Journal, State
from fabric.change.model import Change, DevicePlan, Plan, Risk
from fabric.serve.tokens import Tokens
from fabric.workflow.plan import origin_of
from tests.serve.servers import DEMO, served

if TYPE_CHECKING:
    import httpx

TOKENS = {name: f"{name}-token-0123456789abcdef0123456789" for name in ("bob", "dave", "reader")}
UNNAMED = "unnamed-token-0123456789abcdef01234"


@dataclass
class Reviewed:
    """A client of the token of dave, the plan of alice that bob sent, and its digest."""

    client: httpx.Client
    plan: dict[str, Any]
    sha256: str
    journal: Path

    def ask(self, name: str, method: str, url: str, **more: Any) -> httpx.Response:
        """Send a request with the token of a person, or without a name."""
        token = TOKENS.get(name, UNNAMED)
        headers = {"Authorization": f"Bearer {token}"}
        return self.client.request(method, url, headers=headers, **more)


def plan_of(inventory: Path = DEMO, **origin: Any) -> Plan:
    """Return a plan with a change of one leaf, made by alice, that two eyes more must see."""
    made = dataclasses.replace(origin_of(inventory, 1), author="alice", **origin)
    path = "WRED_PROFILE|AZURE_LOSSLESS|green_min_threshold"
    change = Change(path, "1", "<img src=x onerror=window.hit=1>", Risk.BRIEF_LOSS)
    device = DevicePlan(
        *("su1-rail0", "sonic", "leaf", "su1-rail0", "s", "02:00:00:00:00:01", "0" * 64, "patch"),
        changes=(change,),
        diff=f"-{path} 1\n+{path} <script>window.hit=1</script>\n",
        artefacts=(),
    )
    return Plan("demo", (("su1-rail0",),), {"su1-rail0": device}, origin=made)


def token_file(folder: Path) -> Tokens:
    """Return tokens: two of people who may write, one that reads, one without a name."""
    file = folder / "tokens"
    lines = [f"write {TOKENS[name]} {name}" for name in ("bob", "dave")]
    file.write_text("\n".join([*lines, f"read {TOKENS['reader']} reader", f"write {UNNAMED}"]))
    file.chmod(0o600)
    return Tokens(file)


@contextlib.contextmanager
def reviewed(
    folder: Path,
    inventory: Path = DEMO,
    plan: Plan | None = None,
    *,
    held: bool = True,
    **settings: Any,
) -> Iterator[Reviewed]:
    """Serve the demo with a plan of alice that bob has sent, and with run 1 in progress.

    Without ``held`` no process works on the run.
    """
    plan, journal = plan or plan_of(), Journal(folder / "journal")
    run = journal.begin("apply", plan.fabric, plan.to_json())
    journal.record(run, "", State.PENDING, "1 waves")
    journal.record(run, "su1-rail0", State.COMMITTING, "rocefab-1-1-00000000")
    journal.record(run, "", State.PENDING, "gate ping: passed")
    tokens = token_file(folder)
    with (
        journal.exclusive(run) if held else contextlib.nullcontext(),
        served(
            *(folder / "state", inventory),
            tokens=tokens,
            journal=folder / "journal",
            watch_s=0.05,
            **settings,
        ) as client,
    ):
        content = json.loads(plan.to_json())
        found = Reviewed(client, content, plan.sha256, folder / "journal")
        answer = found.ask("bob", "POST", "/v1/plans", json=content)
        assert answer.status_code == 201, answer.text
        client.headers["Authorization"] = f"Bearer {TOKENS['dave']}"
        yield found
