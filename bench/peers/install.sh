#!/usr/bin/env bash
# Installs the engines that the tables of ../README.md compare with, from npm and crates.io, into a
# directory: the argument, else $STACKSCOPE_PEERS, else stackscope-peers in the user's cache directory.
# What is there in the right version is left alone. wazero is a Go module, see go.mod.
#
#   bench/peers/install.sh [-only deno|wasmi|wasmtime] [DIR]
#
# Needs npm, and cargo with rustc ≥ 1.95. wasmtime takes longest (a quarter of an hour on two cores);
# NICE and CARGO_BUILD_JOBS are honoured.
set -euo pipefail

DENO=2.9.6
WASMI=2.0.0
WASMTIME=48.0.8 # the newest that builds with rustc 1.95

only=all
if [ "${1:-}" = -only ]; then only=$2; shift 2; fi
dir=${1:-${STACKSCOPE_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/stackscope-peers}}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
run() { nice -n "${NICE:-0}" "$@"; }
has() { [ "$("$1" --version 2>/dev/null | head -1 | cut -d' ' -f2)" = "$2" ]; }

deno() {
  has "$dir/node_modules/.bin/deno" "$DENO" ||
    run npm install --no-audit --no-fund --no-save --prefix "$dir" "deno@$DENO"
}

# wasmi is built as its makers advise: as one unit, with link-time optimisation.
wasmi() {
  has "$dir/bin/wasmi_cli" "$WASMI" || has "$dir/bin/wasmi" "$WASMI" ||
    CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 \
      run cargo install --locked --root "$dir" --target-dir "$dir/target/wasmi" "wasmi_cli@$WASMI"
  rm -rf "$dir/target/wasmi"
}

wasmtime() {
  has "$dir/bin/wasmtime" "$WASMTIME" ||
    run cargo install --locked --root "$dir" --target-dir "$dir/target/wasmtime" "wasmtime-cli@$WASMTIME" \
      --no-default-features --features run,cranelift,gc,gc-drc,gc-null,gc-copying,stack-switching
  rm -rf "$dir/target/wasmtime"
}

case $only in
  all) deno; wasmi; wasmtime ;;
  deno | wasmi | wasmtime) "$only" ;;
  *) echo "install.sh: -only deno, wasmi or wasmtime, not $only" >&2; exit 2 ;;
esac
echo "peers are in $dir"
