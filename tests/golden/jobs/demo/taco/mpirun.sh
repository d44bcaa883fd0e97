#!/bin/sh
# Written by rocefab from the inventory; run it next to the hostfile.
exec mpirun -np 4 --map-by slot --bind-to none \
  --hostfile hostfile \
  -mca pml ob1 -mca btl '^openib' \
  -mca btl_tcp_if_include eth0 -mca oob_tcp_if_include eth0 \
  -x LIGHT_2D_ALLREDUCE=1 \
  -x LIGHT_INTRA_SIZE=2 \
  -x LIGHT_HIERARCHICAL_THRESHOLD=1073741824 \
  -x NCCL_SOCKET_IFNAME==eth0 \
  -x NCCL_IB_HCA==mlx5_1,mlx5_2 \
  -x NCCL_IB_TIMEOUT=22 \
  -x NCCL_IB_QPS_PER_CONNECTION=4 \
  -x NCCL_IB_ROCE_VERSION_NUM=2 \
  -x NCCL_IB_ADDR_FAMILY=AF_INET \
  -x NCCL_IB_ADDR_RANGE=10.64.0.0/16 \
  -x NCCL_IB_TC=104 \
  -x NCCL_CROSS_NIC=2 \
  -x UCX_NET_DEVICES=mlx5_1:1,mlx5_2:1 \
  -x UCX_IB_TRAFFIC_CLASS=104 \
  -x GLOO_SOCKET_IFNAME=eth0 \
  -x TP_SOCKET_IFNAME=eth0 \
  "$@"
