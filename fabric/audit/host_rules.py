"""What `rocefab audit` looks at on hosts: one row for each rule."""

from __future__ import annotations

from fabric.core.findings import Severity

HOST_RULES = (
    (
        "AUD020",
        Severity.ERROR,
        "Every NIC with PFC has a routable RoCEv2 GID",
        "Without it connections take RoCEv1 or a link-local address, which no switch routes.",
        "give the NIC its address, and see that its link is up",
        "Mellanox/mlnx-tools sbin/show_gids; NCCL transport/net_ib (choice of the GID)",
    ),
    (
        "AUD021",
        Severity.WARNING,
        "A NIC has one RoCEv2 GID with IPv4, and one with IPv6",
        "Which of several a program takes follows from the order in which addresses were set.",
        "keep one address of the family on the NIC, or set NCCL_IB_ADDR_RANGE",
        "NCCL user guide, NCCL_IB_GID_INDEX and NCCL_IB_ADDR_RANGE",
    ),
    (
        "AUD022",
        Severity.ERROR,
        "NICs of one subnet ask and answer for their own addresses alone",
        "Linux answers on any NIC for all: peers send to the wrong NIC, and rails mix.",
        "set arp_ignore 1, arp_announce 2 and rp_filter 2, or give each NIC a subnet",
        "Linux Documentation/networking/ip-sysctl.rst (arp_ignore, arp_announce, rp_filter)",
    ),
    (
        "AUD023",
        Severity.WARNING,
        "Neighbour entries expire on hosts before they expire on switches",
        "A switch that forgets a silent host first holds up or floods RDMA packets to it.",
        "lower base_reachable_time_ms and gc_stale_time, or raise the ARP timeout",
        "Linux ip-sysctl.rst (base_reachable_time_ms, gc_stale_time); RFC 4861 section 6.3.4",
    ),
    (
        "AUD024",
        Severity.ERROR,
        "The neighbour table of a host has room for the NICs of its subnets",
        "At gc_thresh3 the kernel rejects new neighbours: connections fail only at scale.",
        "raise gc_thresh1, gc_thresh2 and gc_thresh3",
        "Linux Documentation/networking/ip-sysctl.rst, neigh/default/gc_thresh1..3",
    ),
    (
        "AUD025",
        Severity.WARNING,
        "A lossless priority has a receive buffer for itself that covers its cable",
        "Other traffic fills a shared buffer; a small one overflows after the NIC has paused.",
        "set --prio2buffer, --buffer_size and --cable_len (1 to 999) of mlnx_qos",
        "Linux mlx5 en/port_buffer.c (update_xoff_threshold), en_dcbnl.c (cable length)",
    ),
    (
        "AUD026",
        Severity.WARNING,
        "The settings of a NIC have one owner",
        "Firmware or lldpad takes over what a switch announces, whatever was set by hand.",
        "set mlnx_qos -d os, and stop lldpad",
        "Mellanox/mlnx-tools python/mlnx_qos (--dcbx, warning about lldpad)",
    ),
    (
        "AUD027",
        Severity.ERROR,
        "Pause of the whole link is off where PFC is on",
        "With both, mlx5 treats every priority as lossless, and one pause stops all traffic.",
        "set ethtool -A NIC rx off tx off",
        "Linux mlx5 en/port_buffer.c; IEEE 802.1Q-2018 clause 36",
    ),
    (
        "AUD028",
        Severity.ERROR,
        "RoCE is sent with a DSCP of a lossless priority",
        "PFC is on, and the packets of RoCE are in another class: they are dropped.",
        "set the traffic class to four times the DSCP of the lossless class",
        "DOCA-OFED mlx5 main_ext.c (traffic_class); RFC 2474 section 3",
    ),
    (
        "AUD029",
        Severity.WARNING,
        "The driver marks RoCE, so that no program has to",
        "A program that sets no traffic class sends DSCP 0, which is dropped under congestion.",
        "set the traffic class to four times the DSCP of the lossless class",
        "DOCA-OFED mlx5 main_ext.c (traffic_class); RFC 2474 section 3",
    ),
    (
        "AUD030",
        Severity.INFO,
        "Jobs look for the family of the GIDs that the NICs have",
        "NCCL looks for a GID of IPv4 by default; a NIC with IPv6 alone has none.",
        "set NCCL_IB_ADDR_FAMILY to AF_INET6 in the environment of jobs",
        "NVIDIA NCCL user guide, NCCL_IB_ADDR_FAMILY (AF_INET by default)",
    ),
)
