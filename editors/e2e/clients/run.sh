#!/bin/bash
# The product in Neovim, Emacs and Helix, and under VS Code's test client of adapters: clients/run.sh TOOLS_DIR. Debian and npm packages;
# newer Neovim, Emacs (with dape) and Helix are unpacked under TOOLS_DIR. Every session with the adapter is recorded and checked.
set -u
S=$(cd "$(dirname "$0")" && pwd); TOP=$(cd "$S/../../.." && pwd); mkdir -p "$1"; TOOLS=$(cd "$1" && pwd); fails=0
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT
(cd "$TOP" && CGO_ENABLED=0 go build -o "$W/" ./cmd/wasm-ls ./cmd/wasm-dap ./dap/check/dapcheck) || exit 1
# The adapter that clients start records what it says and hears; over TCP each session goes to a file of its own.
mkdir "$W/sessions"
cat > "$W/recorded" <<T
#!/bin/sh
exec "$W/wasm-dap" "\$@" --transcript "\$(mktemp "$W/sessions/\${CLIENT:-client}.XXXXXX")"
T
chmod +x "$W/recorded"
export WASM_LS=$W/wasm-ls WASM_DAP=$W/recorded WRONG=$TOP/testdata/examples/cont/wrong/label.wat
export XDG_STATE_HOME=$W/x XDG_CACHE_HOME=$W/x XDG_CONFIG_HOME=$W/x XDG_DATA_HOME=$W/x
command -v nvim >/dev/null && command -v emacs >/dev/null && command -v tmux >/dev/null || { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends neovim emacs-nox elpa-eglot tmux; } > "$TOOLS/apt-editors.log" 2>&1
[ -x "$TOOLS/trixie/bin/hx" ] && [ -x "$TOOLS/trixie/bin/emacs" ] || "$S/get-editors.sh" "$TOOLS/trixie" > "$TOOLS/get-editors.log" 2>&1
run() { local n=$1 lim=$2; shift 2; export CLIENT=$n; timeout -k 5 "$lim" "$@" > "$TOOLS/client-$n.log" 2>&1; local rc=$?; printf '%-12s rc=%d\n' "$n" $rc; [ $rc = 0 ] || { fails=$((fails+1)); tail -20 "$TOOLS/client-$n.log"; }; }
cp "$WRONG" "$W/a.wat"; FILE=$W/a.wat run nvim 60 nvim --headless -u NONE -i NONE -n -S "$S/nvim.lua"
FILE=$W/a.wat run nvim-new 60 "$TOOLS/trixie/bin/nvim" --headless -u NONE -i NONE -n -S "$S/nvim.lua"
FILE=$W/a.wat run eglot 60 emacs -Q --batch -l "$S/eglot.el"
FILE=$TOP/testdata/examples/cont/scheduler.wat HX=$TOOLS/trixie/bin/hx run helix 90 bash "$S/helix.sh"
FILE=$TOP/testdata/examples/cont/generator.wat DAPE=$TOOLS/trixie/dape run dape 60 "$TOOLS/trixie/bin/emacs" -Q --batch -l "$S/dape.el"
(cd "$S/../dap" && npm ci --no-audit --no-fund --ignore-scripts) > "$TOOLS/npm-dap.log" 2>&1 || { fails=$((fails+1)); tail -20 "$TOOLS/npm-dap.log"; }
run testsupport 120 npm --prefix "$S/../dap" test
# What the adapter does in these sessions keeps the protocol; what the clients do wrong is told, and is theirs.
checked=0
for s in "$W"/sessions/*; do
  [ -s "$s" ] || continue
  checked=$((checked+1))
  (cd "$TOP" && "$W/dapcheck" -strict -side adapter -ignore unanswered -transcript "$s") > "$W/check.log" 2>&1 || { fails=$((fails+1)); echo "$(basename "$s"):"; cat "$W/check.log"; }
  (cd "$TOP" && "$W/dapcheck" -side client -transcript "$s") 2>&1 | grep '^client' | sed "s/^/$(basename "$s" | cut -d. -f1): /; s/(message.*//" >> "$W/clients.log"
done
sort "$W/clients.log" | uniq -c | sort -rn | head -20
for c in helix dape testsupport; do ls "$W/sessions" | grep -q "^$c" || { echo "no session of $c was recorded"; fails=$((fails+1)); }; done
echo "sessions checked: $checked"
echo "editors: $fails failed"; exit $((fails > 0))
