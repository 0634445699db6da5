#!/bin/bash
# sbatch recipes/accelerate/slurm.sh recipes/configs/lstm-k3-full.yaml runs/lstm-k3-full [--optim.lr 5e-4 …]
# DDP on several nodes, a process for each GPU; the job goes back into the queue until the run is over.
# On a cluster it was not run: tried with stand-ins for srun and scontrol, on CPUs.
#SBATCH --job-name=juice
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --signal=USR1@180
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
config=$1 out=$2
shift 2

hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
export MASTER_ADDR=${hosts%%$'\n'*} MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
export ACCELERATE_MIXED_PRECISION=${ACCELERATE_MIXED_PRECISION:-bf16}

# No launcher in between: one would die of the signal that the processes save and stop at.
srun --kill-on-bad-exit=1 bash -c '
    export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS
    exec python recipes/train.py "$@"
' train --config "$config" --out "$out" "$@"

# The report is written when the run is over; without one a signal has stopped it.
[ -f "$out/report.md" ] || scontrol requeue "$SLURM_JOB_ID"
