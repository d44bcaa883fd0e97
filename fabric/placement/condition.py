"""A condition as its user writes it: in a file of the state, and over HTTP."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from fabric.intent.scalars import formed
from fabric.placement.engine.state import Health, of_degraded, with_usual_share

#: One line of printable ASCII, so that a log or a label can hold it.
Line = Annotated[str, Field(max_length=200), formed(r"^[ -~]*$", "one line of printable ASCII")]


class ConditionBody(BaseModel):
    """How a host, a switch or a cable is."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    health: Health = Field(strict=False, description="down, drained, window or degraded.")
    reason: Line = ""
    capacity: Annotated[float, Field(ge=0, le=1), AfterValidator(of_degraded)] = Field(
        0.0,
        description="Share of its speed that a degraded cable or switch has left; then 1.",
    )

    _usual = model_validator(mode="before")(with_usual_share)
