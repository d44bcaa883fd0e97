#!/bin/sh
# Written by rocefab from the inventory; run it on every host of the job.
name=$(hostname -s)
case "$name" in
  node001) node_rank=0 ;;
  node002) node_rank=1 ;;
  *) echo "$name is not a host of this job" >&2; exit 2 ;;
esac
exec torchrun --nnodes 2 --nproc-per-node 8 --node-rank "$node_rank" \
  --master-addr node001 --master-port 29500 "$@"
