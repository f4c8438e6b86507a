#!/usr/bin/env bash
# Rebuilds the programs of this folder: build.sh [--check] [c|cpp|rust|assemblyscript|kotlin …]
#
# Each compiler comes from a registry (Debian 12, npm, Maven Central) in the version named here. Those
# of npm and Maven, and the libraries without debug information, go to $PROGRAMS_CACHE, by default
# ~/.cache/stackscope-programs. The outputs (NAME.out) are those of a native build, or of V8.
# With --check the tree stays as it is: each file is built elsewhere and compared.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
cache=${PROGRAMS_CACHE:-$HOME/.cache/stackscope-programs}
check=
[ "${1:-}" = --check ] && { check=1; shift; }
languages=${*:-c cpp rust assemblyscript kotlin}
mkdir -p "$cache"
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT

debian() { # debian PACKAGE=VERSION…: installs those packages
  local p missing=()
  for p; do [ "$(dpkg-query -W -f '${Version}' "${p%%=*}" 2>/dev/null)" = "${p#*=}" ] || missing+=("$p"); done
  [ ${#missing[@]} = 0 ] && return
  echo "installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$cache/apt.log" 2>&1 || { tail "$cache/apt.log"; exit 1; }
}
npm_tools() { # the compiler of AssemblyScript, and deno
  cmp -s "$here/tools/package.json" "$cache/npm/installed" && return
  mkdir -p "$cache/npm"
  cp "$here/tools/package.json" "$cache/npm/"
  npm install --prefix "$cache/npm" --ignore-scripts --no-audit --no-fund --loglevel=error
  cp "$here/tools/package.json" "$cache/npm/installed"
}
llvm=1:14.0.6-12
llvm_tools() { debian clang-14=$llvm lld-14=$llvm llvm-14=$llvm libclang-rt-14-dev-wasm32=$llvm wasi-libc=0.0~git20220510.9886d3d-2; }

stripped() { # stripped FILE…: copies of libraries without debug information, into $lib
  local f to
  [ -x "$cache/stripobj" ] || (cd "$here/../.." && go build -trimpath -o "$cache/stripobj" ./internal/gen/stripobj)
  mkdir -p "$lib"
  for f; do
    to=$lib/${f##*/}
    [ -e "$to" ] && continue
    "$cache/stripobj" "$f" "$to.new"
    case $f in *.a|*.rlib) llvm-ranlib-14 "$to.new";; esac
    mv "$to.new" "$to"
  done
}

c() {
  llvm_tools
  local lib=$cache/c
  stripped /usr/lib/wasm32-wasi/crt1-command.o /usr/lib/wasm32-wasi/libc.a
  clang-14 --target=wasm32-wasi -g -O0 -fdebug-compilation-dir=. -nostartfiles "$lib/crt1-command.o" -L"$lib" -o "$built/stock.wasm" stock.c
  clang-14 -o "$built/native" stock.c && "$built/native" >"$built/stock.out"
}
cpp() {
  llvm_tools
  debian libc++-14-dev-wasm32=$llvm libc++abi-14-dev-wasm32=$llvm g++=4:12.2.0-3
  local lib=$cache/cpp
  stripped /usr/lib/wasm32-wasi/{crt1-command.o,libc.a,libc++.a,libc++abi.a}
  clang++-14 --target=wasm32-wasi -std=c++17 -fno-exceptions -g -O0 -fdebug-compilation-dir=. -nostartfiles "$lib/crt1-command.o" -L"$lib" -o "$built/route.wasm" route.cpp
  g++ -std=c++17 -o "$built/native" route.cpp && "$built/native" >"$built/route.out"
}
rust() {
  debian rustc=1.63.0+dfsg1-2 libstd-rust-dev-wasm32=1.63.0+dfsg1-2 lld-14=$llvm llvm-14=$llvm lld=1:14.0-55.7~deb12u1
  local rlib=/usr/lib/rustlib target=lib/rustlib/wasm32-wasi/lib
  lib=$cache/rust/$target stripped $rlib/wasm32-wasi/lib/*.rlib
  lib=$cache/rust/$target/self-contained stripped $rlib/wasm32-wasi/lib/self-contained/*
  ln -sfn $rlib/x86_64-unknown-linux-gnu "$cache/rust/lib/rustlib/x86_64-unknown-linux-gnu"
  # The pubnames and pubtypes are a quarter of the debug information and nothing reads them.
  /usr/bin/rustc --sysroot "$cache/rust" --target wasm32-wasi --edition 2021 -g -C opt-level=0 -C codegen-units=1 -C link-arg=-O3 --remap-path-prefix "$PWD=." -o "$built/tasks.wasm" tasks.rs
  llvm-objcopy-14 --remove-section .debug_pubnames --remove-section .debug_pubtypes "$built/tasks.wasm"
  /usr/bin/rustc --edition 2021 -o "$built/native" tasks.rs && "$built/native" >"$built/tasks.out"
}
assemblyscript() {
  npm_tools
  "$cache/npm/node_modules/.bin/asc" words.ts --debug --sourceMap --bindings esm -o "$built/words.wasm"
  rm "$built/words.d.ts"
  # The map repeats the texts of the standard library, which are 350 KB.
  node -e 'const fs = require("fs"), [f] = process.argv.slice(1), m = JSON.parse(fs.readFileSync(f));
    m.sourcesContent = m.sources.map((s, i) => s.startsWith("~lib/") ? null : m.sourcesContent[i]);
    fs.writeFileSync(f, JSON.stringify(m));' "$built/words.wasm.map"
  v8 words
}
kotlin() {
  local home=$cache/kotlin version=2.4.20
  [ -n "$(command -v mvn)" ] && [ -n "$(command -v java)" ] || debian maven=3.8.7-1 openjdk-17-jre-headless="$(apt-cache policy openjdk-17-jre-headless | sed -n 's/.*Candidate: //p')"
  npm_tools
  mkdir -p "$home"
  if [ ! -e "$home/cp.txt" ]; then
    mvn -q -B -f "$here/tools/pom.xml" dependency:build-classpath -Dmdep.outputFile="$home/cp.new"
    for artifact in org.jetbrains.kotlin:kotlin-stdlib-wasm-js:$version:klib org.jetbrains.kotlinx:kotlinx-coroutines-core-wasm-js:1.10.2:klib org.jetbrains.kotlinx:atomicfu-wasm-js:0.26.1:klib; do
      mvn -q -B dependency:copy -Dartifact="$artifact" -DoutputDirectory="$home"
    done
    mv "$home/cp.new" "$home/cp.txt"
  fi
  local stdlib=$home/kotlin-stdlib-wasm-js-$version.klib
  kotlin_program parcels "$stdlib" -Xwasm-debug-friendly
  kotlin_program weather "$stdlib:$home/kotlinx-coroutines-core-wasm-js-1.10.2.klib:$home/atomicfu-wasm-js-0.26.1.klib"
}
kotlin_program() { # kotlin_program NAME LIBRARIES [OPTION…]
  local name=$1 libraries=$2 dir=$built/$1; shift 2
  # The map names the source from the folder that the program is written to.
  mkdir "$dir" && cp $name.kt "$dir/"
  local kotlinc=(java -XX:+UseSerialGC -cp "$(cat "$cache/kotlin/cp.txt")" org.jetbrains.kotlin.cli.js.KotlinWasmCompiler -nowarn -libraries "$libraries")
  (
    cd "$dir"
    "${kotlinc[@]}" -Xklib-relative-path-base="$dir" -ir-output-dir . -ir-output-name $name $name.kt
    "${kotlinc[@]}" -Xir-produce-js -Xinclude=$name.klib -ir-output-dir . -ir-output-name $name -Xir-dce -source-map \
      -Xwasm-use-stack-switching-proposal -Xwasm-use-new-exception-proposal -Xwasm-debug-info "$@"
  )
  mv "$dir"/$name.{wasm,wasm.map,import-object.mjs,js-builtins.mjs} "$built/"
  rm -r "$dir"
  v8 $name
}
v8() { # v8 NAME: what the program prints under V8
  (cd "$built" && "$cache/npm/node_modules/.bin/deno" run --quiet --allow-read --v8-flags=--experimental-wasm-wasmfx "$here/tools/run.mjs" $1.wasm) >"$built/$1.out"
}

differ=0
for language in $languages; do
  case $language in c|cpp|rust|assemblyscript|kotlin) ;; *) echo "unknown language $language; there are c, cpp, rust, assemblyscript and kotlin" >&2; exit 2;; esac
  cd "$here/$language"
  rm -rf "${built:?}"/*
  $language
  rm -f "$built/native"
  if grep -lE '(^|[^A-Za-z0-9_./-])/(work|home|root|tmp)/' "$built"/*; then echo "$language: these files name folders of this machine" >&2; exit 1; fi
  for f in "$built"/*; do
    if [ -z "$check" ]; then cp "$f" .; continue; fi
    cmp "$f" "${f##*/}" || differ=1
  done
  (cd "$built" && for f in *; do printf '%-16s %7d %s\n' "$language" "$(stat -c %s "$f")" "$f"; done)
done
[ $differ = 0 ] || { echo 'built files differ from those of the tree' >&2; exit 1; }
