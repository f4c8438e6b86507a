#!/bin/bash
# The product in Neovim, Emacs and Helix: clients/run.sh TOOLS_DIR. Debian packages; newer Neovim and Helix are unpacked under TOOLS_DIR.
set -u
S=$(cd "$(dirname "$0")" && pwd); TOP=$(cd "$S/../../.." && pwd); mkdir -p "$1"; TOOLS=$(cd "$1" && pwd); fails=0
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT
(cd "$TOP" && CGO_ENABLED=0 go build -o "$W/" ./cmd/wasm-ls ./cmd/wasm-dap) || exit 1
export WASM_LS=$W/wasm-ls WASM_DAP=$W/wasm-dap WRONG=$TOP/testdata/examples/cont/wrong/label.wat
export XDG_STATE_HOME=$W/x XDG_CACHE_HOME=$W/x XDG_CONFIG_HOME=$W/x XDG_DATA_HOME=$W/x
command -v nvim >/dev/null && command -v emacs >/dev/null && command -v tmux >/dev/null || { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends neovim emacs-nox elpa-eglot tmux; } > "$TOOLS/apt-editors.log" 2>&1
[ -x "$TOOLS/trixie/bin/hx" ] || "$S/get-editors.sh" "$TOOLS/trixie" > "$TOOLS/get-editors.log" 2>&1
run() { local n=$1 lim=$2; shift 2; timeout -k 5 "$lim" "$@" > "$TOOLS/client-$n.log" 2>&1; local rc=$?; printf '%-12s rc=%d\n' "$n" $rc; [ $rc = 0 ] || { fails=$((fails+1)); tail -20 "$TOOLS/client-$n.log"; }; }
cp "$WRONG" "$W/a.wat"; FILE=$W/a.wat run nvim 60 nvim --headless -u NONE -i NONE -n -S "$S/nvim.lua"
FILE=$W/a.wat run nvim-new 60 "$TOOLS/trixie/bin/nvim" --headless -u NONE -i NONE -n -S "$S/nvim.lua"
FILE=$W/a.wat run eglot 60 emacs -Q --batch -l "$S/eglot.el"
FILE=$TOP/testdata/examples/cont/scheduler.wat HX=$TOOLS/trixie/bin/hx run helix 90 bash "$S/helix.sh"
echo "editors: $fails failed"; exit $((fails > 0))
