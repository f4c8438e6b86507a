// Runs an exported function `run` on V8 as often as asked: a line of the input is the argument, the
// answer is the time in milliseconds.
const { instance } = await WebAssembly.instantiate(Deno.readFileSync(Deno.args[0]), {});
const decoder = new TextDecoder();
let rest = "";
for await (const chunk of Deno.stdin.readable) {
  const lines = (rest + decoder.decode(chunk)).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const start = performance.now();
    instance.exports.run(Number(line));
    console.log(performance.now() - start);
  }
}
