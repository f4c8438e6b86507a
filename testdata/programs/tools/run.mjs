// Runs a program under V8, whose output is the reference: run.mjs FILE.wasm. Kotlin's own .mjs asks
// for a library that is not in a registry, so the module is instantiated here with the glue beside it.
const [file] = Deno.args;
const at = new URL(file, `file://${Deno.cwd()}/`);
const beside = extension => new URL(at.pathname.replace(/\.wasm$/, extension), at).href;
const exists = async href => await Deno.stat(new URL(href)).then(() => true, () => false);

if (await exists(beside('.import-object.mjs'))) {
  const { importObject, setWasmExports } = await import(beside('.import-object.mjs'));
  const options = { builtins: ['js-string'], importedStringConstants: "'" };
  const instance = await WebAssembly.instantiate(await WebAssembly.compile(await Deno.readFile(at), options), importObject);
  setWasmExports(instance.exports);
  instance.exports._start();
} else {
  const { main } = await import(beside('.js'));
  main();
}
