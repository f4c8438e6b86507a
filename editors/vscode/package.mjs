// Builds the two programs for a platform and packages the extension with them. The bundle, the grammar and the examples are there
// already (`make vsix-parts`).
//   node package.mjs --out FILE.vsix            for this machine
//   node package.mjs --all --out DIRECTORY      for every platform: DIRECTORY/stackscope-PLATFORM.vsix
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url)), top = path.resolve(here, '../..');
/** VS Code's names of platforms, with Go's. The programs link nothing, so those for Linux also run on Alpine. */
const platforms = {
  'linux-x64': ['linux', 'amd64'], 'linux-arm64': ['linux', 'arm64'], 'alpine-x64': ['linux', 'amd64'],
  'darwin-x64': ['darwin', 'amd64'], 'darwin-arm64': ['darwin', 'arm64'], 'win32-x64': ['windows', 'amd64'], 'win32-arm64': ['windows', 'arm64'],
};
const epoch = '1700000000'; // the time in the packages: the same tree gives the same bytes

const args = process.argv.slice(2), out = args[args.indexOf('--out') + 1];
if (!args.includes('--out') || !out) throw new Error('--out is missing');
if (args.includes('--all')) {
  for (const platform of Object.keys(platforms)) pack(platform, path.resolve(out, `stackscope-${platform}.vsix`));
} else {
  pack(machine(), path.resolve(out));
}

function machine() {
  const name = `${fs.existsSync('/etc/alpine-release') ? 'alpine' : process.platform}-${process.arch}`;
  if (!(name in platforms)) throw new Error(`there is no package for ${name}, only for ${Object.keys(platforms).join(', ')}`);
  return name;
}

function pack(platform, file) {
  const [goos, goarch] = platforms[platform], bin = path.join(here, 'bin') + path.sep;
  fs.rmSync(bin, { recursive: true, force: true });
  fs.mkdirSync(bin, { recursive: true });
  execFileSync(process.env.GO || 'go', ['build', '-trimpath', '-ldflags=-s -w', '-o', bin, './cmd/wasm-ls', './cmd/wasm-dap'],
    { cwd: top, stdio: 'inherit', env: { ...process.env, CGO_ENABLED: '0', GOOS: goos, GOARCH: goarch } });
  execFileSync(process.execPath, [path.join(here, 'node_modules/@vscode/vsce/vsce'), 'package', '--target', platform, '--no-dependencies', '--allow-missing-repository',
    '--no-rewrite-relative-links', '-o', file], { cwd: here, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, SOURCE_DATE_EPOCH: epoch } });
}
