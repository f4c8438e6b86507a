#!/bin/bash
# Helix, its language client and its debug client, in tmux; asserts on the screen.
# Environment: HX, WASM_LS, WASM_DAP (the programs), WRONG (a .wat with a wrong handler label), FILE (a right one).
set -u
W=$(mktemp -d); export XDG_CONFIG_HOME=$W/cfg XDG_CACHE_HOME=$W/cache XDG_DATA_HOME=$W/data
mkdir -p "$W/cfg/helix" "$W/ws"; cp "$WRONG" "$W/ws/wrong.wat"; cp "$FILE" "$W/ws/right.wat"
cat > "$W/cfg/helix/languages.toml" <<T
[language-server.wasm-ls]
command = "$WASM_LS"
args = ["serve", "--stdio"]
[[language]]
name = "wat"
scope = "source.wat"
file-types = ["wat", "wast"]
roots = []
language-servers = ["wasm-ls"]
[language.debugger]
name = "wasm-dap"
transport = "stdio"
command = "$WASM_DAP"
args = ["serve", "--stdio"]
[[language.debugger.templates]]
name = "launch"
request = "launch"
completion = []
args = { program = "$W/ws/right.wat", stopOnEntry = true }
T
T="tmux -L hx$$"
die() { echo "FAIL: $1"; cat "$W/screen"; tail -20 "$W/cache/helix/helix.log"; $T kill-server; exit 1; }
see() { for _ in $(seq 60); do $T capture-pane -p > "$W/screen"; grep -qE "$1" "$W/screen" && { echo "ok: $1"; return 0; }; sleep 0.25; done; die "$1"; }
$T -f /dev/null new-session -d -x 140 -y 40 "cd $W/ws && $HX -v wrong.wat 2>$W/err"
$T set -s escape-time 0
see '● 1'
$T send-keys Space d; see 'on_yield.*needs|needs.*on_yield|type mismatch'; $T send-keys Escape; sleep 0.3
$T send-keys ':open right.wat' Enter; see 'Green threads'
$T send-keys ':debug-start launch' Enter; see 'stopped because of entry|▶'
# The debug menu stays open: `n` steps, `i` steps in, `s t` lists the threads if there are several: each is a stack.
$T send-keys Space G n; sleep 0.5; see '▶'
$T send-keys i; sleep 0.5; see '▶'
$T send-keys s t; see '#2 .*not started'; $T send-keys Escape; sleep 0.3
$T send-keys t; sleep 0.5; $T send-keys Escape ':q!' Enter; sleep 0.3; $T send-keys ':q!' Enter; sleep 0.5; $T kill-server 2>/dev/null
rm -rf "$W"; echo 'PASS helix'
