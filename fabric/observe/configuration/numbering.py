"""Numbers of traffic classes where a system has maps between classes, queues and priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.observe.configuration.lossless import PortPolicy


def number_classes(port: PortPolicy) -> None:
    """Give the class whose queue a lossless priority stops the number of that priority.

    A class that packets reach under the number of the priority stays as it is: whether its queue
    is the right one is for the audit to say.
    """
    for priority in port.pfc:
        reached = {*port.dscp_to_class.values(), *port.pcp_to_class.values()}
        stopped = port.pause_to_queue.get(priority, priority)
        classes = [
            number
            for number in reached - port.pfc.keys()
            if port.class_to_queue.get(number, number) == stopped
        ]
        if priority not in reached and len(classes) == 1:
            _swap(port, classes[0], priority)


def _swap(port: PortPolicy, number: int, priority: int) -> None:
    """Swap the numbers of two classes; their names tell which ones the configuration has."""
    swapped = {number: priority, priority: number}
    for one, other in swapped.items():
        port.class_to_queue.setdefault(one, one)
        port.class_names[other] = f"traffic class {one}"
    port.dscp_to_class = {dscp: swapped.get(one, one) for dscp, one in port.dscp_to_class.items()}
    port.pcp_to_class = {tag: swapped.get(one, one) for tag, one in port.pcp_to_class.items()}
    port.class_to_queue = {swapped.get(one, one): to for one, to in port.class_to_queue.items()}
    port.class_to_group = {swapped.get(one, one): to for one, to in port.class_to_group.items()}
