#!/usr/bin/env bash
# Builds zlib, from Debian's source package, for WASI with Debian's clang and wasi-libc, and runs its
# test suite in the VM: `example`, `minigzip` (there and back, and against gzip) and `infcover`, which
# covers all of inflate. What the tests print is what they print natively. Then a script of the
# terminal debugger stops in one of its functions and steps in C.
#
# Nothing of it is in the tree: it goes to $PROGRAMS_CACHE, by default ~/.cache/stackscope-programs.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
cache=${PROGRAMS_CACHE:-$HOME/.cache/stackscope-programs}/zlib
version=1:1.2.13.dfsg-1
llvm=1:14.0.6-12
mkdir -p "$cache/lists/partial" "$cache/parts" "$cache/run"

for p in clang-14=$llvm lld-14=$llvm llvm-14=$llvm libclang-rt-14-dev-wasm32=$llvm wasi-libc=0.0~git20220510.9886d3d-2 dpkg-dev gcc libc6-dev; do
  case $p in *=*) [ "$(dpkg-query -W -f '${Version}' "${p%%=*}" 2>/dev/null)" = "${p#*=}" ];; *) dpkg -s "$p" >/dev/null 2>&1;; esac || missing+=("$p")
done
if [ -n "${missing:-}" ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$cache/apt.log" 2>&1 || { tail "$cache/apt.log"; exit 1; }
fi
if [ ! -e "$cache/src/zlib.h" ]; then # the index of sources, beside that of this machine
  # The mirror is that of the machine's own sources of packages.
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' "Created-By: Packages" | awk '$2 == "bookworm" && $3 == "main" {print $1; exit}')
  printf 'Types: deb-src\nURIs: %s\nSuites: bookworm\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$mirror" >"$cache/parts/src.sources"
  apt=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$cache/parts" -o "Dir::State::lists=$cache/lists" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
  apt-get -qq "${apt[@]}" update
  rm -rf "$cache/package"
  mkdir "$cache/package"
  (cd "$cache/package" && apt-get -qq "${apt[@]}" source "zlib=$version" >"$cache/source.log" 2>&1) || { tail "$cache/source.log"; exit 1; }
  rm -rf "$cache/src"
  mv "$cache"/package/zlib-*/ "$cache/src"
fi
(cd "$here/../../../.." && go build -trimpath -o "$cache/wasm-dap" ./cmd/wasm-dap)
dap=$cache/wasm-dap

cd "$cache/src"
units=(adler32 crc32 deflate infback inffast inflate inftrees trees zutil compress uncompr gzclose gzlib gzread gzwrite)
defines=(-D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -DHAVE_HIDDEN -I.)
for kind in wasm native; do
  cc=(clang-14 --target=wasm32-wasi -g -O0) end=.wasm
  [ $kind = native ] && cc=(gcc -O1) end=
  to=$cache/$kind objects=()
  mkdir -p "$to"
  for u in "${units[@]}"; do
    objects+=("$to/$u.o")
    [ "$to/$u.o" -nt "$u.c" ] || "${cc[@]}" "${defines[@]}" -c "$u.c" -o "$to/$u.o"
  done
  for t in example minigzip infcover; do
    [ "$to/$t$end" -nt test/$t.c ] || "${cc[@]}" "${defines[@]}" "test/$t.c" "${objects[@]}" -o "$to/$t$end"
  done
done

cd "$cache/run"
rm -f ./*
n=0
ok() { n=$((n + 1)); echo "ok $n - $*"; }
"$dap" run --dir . ../wasm/example.wasm >example.vm
../native/example >example.native
# The flags tell the sizes of types, which differ.
diff <(sed 's/compile flags.*//' example.native) <(sed 's/compile flags.*//' example.vm); ok example: "$(grep -c : example.vm) tests"
"$dap" run ../wasm/infcover.wasm >cover.vm 2>&1
../native/infcover >cover.native 2>&1
diff <(sed 's/[0-9]* \(high water mark\|allocated\)//' cover.native) <(sed 's/[0-9]* \(high water mark\|allocated\)//' cover.vm); ok infcover: "$(wc -l <cover.vm) tests"
[ "$(echo hello world | "$dap" run ../wasm/minigzip.wasm | "$dap" run ../wasm/minigzip.wasm -- -d)" = "hello world" ]; ok minigzip there and back
cat ../src/*.c ../src/*.h ../wasm/*.o >data
for level in 1 6 9; do
  "$dap" run ../wasm/minigzip.wasm -- -$level <data >data.gz
  gzip -dc data.gz | cmp - data; ok "minigzip -$level, gzip -d: $(wc -c <data) bytes, $(wc -c <data.gz) packed"
  gzip -c -$level data | "$dap" run ../wasm/minigzip.wasm -- -d | cmp - data; ok "gzip -$level, minigzip -d"
done
cp data file
"$dap" run --dir . ../wasm/minigzip.wasm -- file
[ ! -e file ]; gzip -dc file.gz | cmp - data; ok minigzip of a file in a directory of the program
# One of its functions, in C: a condition on a local, steps over and into a loop, out, and a struct.
cat >steps.dbg <<'END'
break inftrees.c:110 if sym == 3
continue
bt
print type
print count[3]
next
print sym
step
clear
finish
next
print state->lenbits
print *strm
END
"$dap" debug --batch -x steps.dbg --dir . ../wasm/example.wasm >steps.out 2>&1 || { cat steps.out; exit 1; }
while read -r line; do
  grep -qF -- "$line" steps.out || { cat steps.out; echo "no line: $line"; exit 1; }
done <<'END'
inftrees.c:110 if sym == 3
0 inflate_table at
1 inflate at
2 test_large_inflate at
CODES : codetype
→  110         count[lens[sym]]++;
→  109     for (sym = 0; sym < codes; sym++)
3 : unsigned int
→  966             ret = inflate_table(CODES, state->lens, 19, &(state->next),
→  968             if (ret) {
4 : unsigned int
avail_in  = 40000 : uInt
zalloc    = 0x1 <zcalloc> : alloc_func
END
ok "inflate_table stepped in C: $(grep -c '^→' steps.out) places"
echo "zlib $version: $n checks passed"
