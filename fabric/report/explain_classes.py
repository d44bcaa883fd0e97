"""Fields of the traffic that a line is about: RoCE data or CNPs, where its numbers tell."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.spans import numbers_of
from fabric.intent.classes import lossless_classes

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabric.design.designs import Designs
    from fabric.intent.policy import LosslessPolicy
    from fabric.render.explain import Explanation

#: Fields of RoCE data and of CNPs that the same kind of line may be about.
_PAIRS = (
    ("lossless.roce_dscp", "lossless.cnp_dscp"),
    ("lossless.traffic_class", "lossless.cnp_traffic_class"),
    ("lossless.queue", "lossless.cnp_queue"),
)
#: A list of DSCPs or classes that is a word of its own, and no part of a name.
_NUMBERS = re.compile(r"(?<![\w./:-])\d{1,2}(?:[,-]\d{1,2})*(?![\w./:-])")


def of_classes(
    designs: Designs, device: str, port: str, line: str, entry: Explanation
) -> Explanation:
    """Return what is known of a line, without the field of the traffic that it is not about.

    A line with the numbers of both, or of neither, keeps both fields.
    """
    pairs = [pair for pair in _PAIRS if {*pair} <= {*entry.fields}]
    if not pairs or device not in designs.devices:
        return entry
    policy = designs.resolver.switch(device, designs.devices[device].role, port)
    numbers = _numbers(line)
    others = {_other(pair, numbers, policy) for pair in pairs}
    return replace(entry, fields=tuple(field for field in entry.fields if field not in others))


def _other(pair: tuple[str, str], numbers: Collection[int], policy: LosslessPolicy) -> str:
    """Return the field of a pair whose value a line lacks while it has that of the other."""
    data, cnp = pair
    name = data.removeprefix("lossless.")
    classes = lossless_classes(policy)
    values = (
        {dscp for traffic in classes for dscp in traffic.dscps}
        if name == "roce_dscp"
        else {getattr(traffic, name) for traffic in classes}
    )
    is_data = not values.isdisjoint(numbers)
    is_cnp = getattr(policy, cnp.removeprefix("lossless.")) in numbers
    if is_data == is_cnp:
        return ""
    return cnp if is_data else data


def _numbers(line: str) -> set[int]:
    return {number for text in _NUMBERS.findall(line) for number in numbers_of(text)}
