// Functions with strings, arrays and objects of AssemblyScript, called through `--bindings esm`.
@external("env", "shout")
declare function shout(text: string, times: i32): string;

export function greet(name: string): string {
  return "hello " + name + " " + shout(name, 2);
}

export function squares(n: i32): Array<f64> {
  const out = new Array<f64>();
  for (let i = 0; i < n; i++) out.push(i * i);
  trace("squares", 2, n, 0.5);
  return out;
}

class Note { constructor(public text: string, public at: i64) {} }
let last: Note | null = null;
export function remember(text: string, at: i64): void { last = new Note(text, at); }
export function recall(): string { return last!.text + "@" + last!.at.toString(); }
export function fail(): void { assert(false, "no good"); }
export function print(): void {
  console.log(greet("printer"));
  console.log(squares(4).join(" "));
  remember("é😀", 12);
  console.log(recall());
}
