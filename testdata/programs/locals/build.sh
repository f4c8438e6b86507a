#!/usr/bin/env bash
# Rebuilds the programs of the comparison with gdb and records what gdb shows: build.sh [--check]
#
# Each source becomes NAME.O0.wasm and NAME.O2.wasm, without a library, and NAME.gdb: the locals that
# gdb shows of a native build at -O0, at each row of the line table that the program passes (record.py
# and merge.py say how). With --check the tree stays as it is: each file is made elsewhere and compared.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
check=
[ "${1:-}" = --check ] && check=1
cache=${PROGRAMS_CACHE:-$HOME/.cache/stackscope-programs}
zig=0.17.1 # of PyPI: clang 22
rust=1.63.0+dfsg1-2
missing=()
for p in gdb=13.1-3 python3-venv rustc=$rust libstd-rust-dev-wasm32=$rust lld=1:14.0-55.7~deb12u1 llvm-14=1:14.0.6-12 libc6-dev gcc; do
  case $p in *=*) [ "$(dpkg-query -W -f '${Version}' "${p%%=*}" 2>/dev/null)" = "${p#*=}" ];; *) dpkg -s "$p" >/dev/null 2>&1;; esac || missing+=("$p")
done
if [ ${#missing[@]} != 0 ]; then
  echo "installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
if [ ! -x "$cache/zig-$zig/bin/python" ]; then
  mkdir -p "$cache"
  python3 -m venv "$cache/zig.new"
  "$cache/zig.new/bin/pip" install -q "ziglang==$zig"
  mv "$cache/zig.new" "$cache/zig-$zig"
fi
cc=("$cache/zig-$zig/bin/python" -m ziglang cc -w -g -fno-sanitize=all -fdebug-compilation-dir=.)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

record() { # record SOURCE PROGRAM: writes the golden
  local fill
  for fill in 17 238; do
    SOURCE=$1 FILL=$fill OUT=$out/record.$fill timeout 120 gdb -q -nx -batch -x "$here/record.py" "$2" >"$out/gdb.log" 2>&1 || { cat "$out/gdb.log"; exit 1; }
  done
  python3 "$here/merge.py" "$out/record.17" "$out/record.238" >"$out/${1%.*}.gdb" || { cat "$out/gdb.log"; exit 1; }
}

mkdir "$out/c"
cd "$here/c"
for f in *.c; do
  n=${f%.c}
  [ $n = main ] && continue
  for o in O0 O2; do
    "${cc[@]}" -target wasm32-freestanding -$o -nostdlib -mbulk-memory -Wl,--no-entry,--export=run,-z,stack-size=16384 $f -o "$out/c/$n.$o.wasm"
  done
  "${cc[@]}" -target x86_64-linux-gnu -O0 $f main.c -o "$out/native"
  record $f "$out/native"
  mv "$out/$n.gdb" "$out/c/"
done

# Rust without its standard library, whose crates have debug information of two megabytes: copies
# without it. The handler of failed allocations has no default yet in this version.
export RUSTC_BOOTSTRAP=1
mkdir -p "$out/rust" "$cache"
(cd "$here/../../.." && go build -trimpath -o "$out/stripobj" ./internal/gen/stripobj)
target=wasm32-unknown-unknown lib=$cache/rust-alone/lib/rustlib
mkdir -p "$lib/$target/lib"
ln -sfn /usr/lib/rustlib/x86_64-unknown-linux-gnu "$lib/x86_64-unknown-linux-gnu"
for f in /usr/lib/rustlib/$target/lib/*.rlib; do
  to=$lib/$target/lib/${f##*/}
  [ -e "$to" ] || { "$out/stripobj" "$f" "$to.new" && llvm-ranlib-14 "$to.new" && mv "$to.new" "$to"; }
done
cd "$here/rust"
rustc=(/usr/bin/rustc --edition 2021 -g -A warnings -C codegen-units=1 -C panic=abort --remap-path-prefix "$PWD=.")
for f in *.rs; do
  n=${f%.rs}
  [ $n = rt ] && continue
  for o in 0 2; do
    "${rustc[@]}" --sysroot "$cache/rust-alone" --crate-type cdylib --target $target -C opt-level=$o -o "$out/rust/$n.O$o.wasm" $f
    llvm-objcopy-14 --remove-section .debug_pubnames --remove-section .debug_pubtypes "$out/rust/$n.O$o.wasm"
  done
  "${rustc[@]}" --crate-type staticlib -C opt-level=0 -o "$out/libnative.a" $f
  gcc main.c "$out/libnative.a" -o "$out/native"
  record $f "$out/native"
  mv "$out/$n.gdb" "$out/rust/"
done

differ=0
cd "$out"
for f in c/* rust/*; do
  if [ -n "$check" ]; then cmp "$f" "$here/$f" || differ=1; else cp "$f" "$here/$f"; fi
done
if grep -lE '(^|[^A-Za-z0-9_./-])/(work|home|root|tmp)/' "$out"/c/* "$out"/rust/*; then echo "these files name folders of this machine" >&2; exit 1; fi
echo "$(cat */*.gdb | wc -l) records of $(ls */*.gdb | wc -l) programs, $(cat */*.wasm | wc -c) bytes of programs"
[ $differ = 0 ] || { echo 'built files differ from those of the tree' >&2; exit 1; }
