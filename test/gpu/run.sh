#!/bin/sh
# Checks profiles of real CUDA programs on a machine with a GPU; elsewhere it prints a message and returns 0.
#   test/gpu/run.sh BUILD_FOLDER
here=$(dirname "$0")
PATH=$PATH:/usr/local/cuda/bin
if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
    echo "SKIP: there is no GPU here"
elif ! command -v nvcc >/dev/null; then
    echo "SKIP: there is no nvcc"
else
    exec python3 "$here/real/real.py" --build "${1:-build}"
fi
