#!/usr/bin/env bash
# Usage: run.sh BUILD SCRATCH
# Installs the build under a scratch prefix, runs the installed command, and builds and runs a user's project against it.
set -euo pipefail
build=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
log=$scratch/log
check() { "$@" >"$log" 2>&1 || { cat "$log"; echo "failed: $*"; exit 1; }; }
check cmake --install "$build" --prefix "$scratch/prefix"
check cmake -G Ninja -S "$(dirname "$0")" -B "$scratch/consumer" -D CMAKE_PREFIX_PATH="$scratch/prefix" -D CMAKE_BUILD_TYPE=Release
check cmake --build "$scratch/consumer"
[ "$("$scratch/consumer/consumer")" = f32 ] || { echo "the consumer printed something else"; exit 1; }
check "$scratch/prefix/bin/weft" --version
