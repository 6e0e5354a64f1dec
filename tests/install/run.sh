#!/usr/bin/env bash
# Usage: run.sh BUILD SCRATCH
# Installs the build under a scratch prefix, runs the installed command, compiles every installed header alone, and builds and
# runs a user's project against it, with the compiler of the build and with clang++ where there is one.
set -euo pipefail
build=$1
rm -rf "$2"
mkdir -p "$2"
scratch=$(realpath "$2")
prefix=$scratch/prefix log=$scratch/log
check() { "$@" >"$log" 2>&1 || { cat "$log"; echo "failed: $*"; exit 1; }; }
check cmake --install "$build" --prefix "$prefix"
check "$prefix/bin/weft" --version

compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
export compile="$compiler -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I . -x c++ -"
# Includes the header twice, to test its include guard.
alone() { printf '#include <%s>\n#include <%s>\n' "$1" "$1" | $compile || { echo "not self-contained: $1"; exit 255; }; }
export -f alone
(cd "$prefix/include" && find weft -name '*.h' | xargs -P "$(nproc)" -I{} bash -c 'alone {}')

compilers=("$compiler")
clang=$(compgen -c clang++ | sort -V | tail -1 || true)
[ -z "$clang" ] || compilers+=("$clang")
for user in "${compilers[@]}"; do
  project=$scratch/$(basename "$user")
  check cmake -G Ninja -S "$(dirname "$0")" -B "$project" -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_CXX_COMPILER="$user"
  check cmake --build "$project"
  for program in consumer precompiled; do
    [ "$("$project/$program")" = learnt ] || { echo "$user: $program printed something else"; exit 1; }
  done
done
