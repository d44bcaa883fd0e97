export NCCL_SOCKET_IFNAME='=eth0'  # bootstrap uses the management network; the equals sign matches the full name
export NCCL_IB_HCA='=mlx5_1,mlx5_2'  # the NICs of the rails in use; the equals sign matches full names
export NCCL_IB_TIMEOUT='22'  # 17 s, enough to outlast a routing change
export NCCL_IB_QPS_PER_CONNECTION='4'  # more queue pairs give ECMP more UDP source ports to spread
export NCCL_IB_ROCE_VERSION_NUM='2'  # RoCEv2: the fabric routes
export NCCL_IB_ADDR_FAMILY='AF_INET'  # the rails have IPv4 addresses
export NCCL_IB_ADDR_RANGE='10.64.0.0/16'  # the GID is found by its address; no index is fixed, as indexes move
export NCCL_IB_TC='104'  # DSCP 26 << 2: the class that the fabric does not drop
export NCCL_CROSS_NIC='2'  # prefer the same rail; the spines connect the others
export UCX_NET_DEVICES='mlx5_1:1,mlx5_2:1'  # as NCCL_IB_HCA
export UCX_IB_TRAFFIC_CLASS='104'  # as NCCL_IB_TC; the default of UCX is 106
export GLOO_SOCKET_IFNAME='eth0'  # Gloo is TCP: never on the rails
export TP_SOCKET_IFNAME='eth0'  # TensorPipe is TCP as well
