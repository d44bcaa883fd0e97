"""How many people must approve a plan, as ``fabric.yaml`` says; nothing else of it is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from fabric.intent.documents import MAIN_FILE
from fabric.intent.rollout_model import Rollout
from fabric.intent.yaml.file import input_error, load_yaml

if TYPE_CHECKING:
    from pathlib import Path


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    rollout: Rollout = Rollout()


def approvals_demanded(folder: Path) -> int:
    """Return how many people must approve a plan of an inventory.

    Raises
    ------
    InputError
        When its ``fabric.yaml`` cannot be read, or says this wrongly.
    """
    shown = str(folder / MAIN_FILE)
    document = load_yaml(folder / MAIN_FILE, shown, root=folder)
    try:
        return _Part.model_validate(document.data).rollout.approvals
    except ValidationError as error:
        from fabric.intent.explain_errors import explain

        raise input_error(explain(error, document, _Part, ("fabric",)), shown) from None
