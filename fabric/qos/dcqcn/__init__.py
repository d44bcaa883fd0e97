"""DCQCN: parameter sets, what the NICs take, the fluid model, and what it says of a port.

Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015 (the protocol), and
Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY", CoNEXT 2016 (the
fluid model). CP is the switch, NP the receiving NIC, and the reaction point the sending NIC.
"""
