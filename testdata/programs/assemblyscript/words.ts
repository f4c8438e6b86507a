// Counts words: classes, arrays, strings, a map, a closure-free callback.
class Word {
  next: Word | null = null;

  constructor(public text: string, public count: i32 = 1) {}

  toString(): string {
    return this.text + ":" + this.count.toString();
  }
}

function longer(a: Word, b: Word): i32 {
  return b.text.length - a.text.length;
}

class Counter {
  words: Array<Word> = [];
  total: i64 = 0;
  share: f64 = 0;

  find(text: string): Word | null {
    for (let i = 0; i < this.words.length; i++) {
      const word = this.words[i];
      if (word.text == text) return word;
    }
    return null;
  }

  add(text: string): Word {
    this.total++;
    let word = this.find(text);
    if (word) {
      word.count++;
    } else {
      word = new Word(text);
      this.words.push(word);
    }
    return word;
  }
}

function link(words: Array<Word>): Word | null {
  let first: Word | null = null;
  for (let i = words.length - 1; i >= 0; i--) {
    words[i].next = first;
    first = words[i];
  }
  return first;
}

/** Counts the words of a text, prints the longest ones, and returns how many differ. */
function count(limit: i32): i32 {
  const text = "a rose is a rose is a röschen";
  const parts = text.split(" ");
  const counter = new Counter();
  for (let i = 0; i < parts.length; i++) {
    counter.add(parts[i]);
  }
  counter.words.sort(longer);
  let word = link(counter.words);
  for (let n = 0; word && n < limit; n++) {
    console.log(word.toString());
    word = word.next;
  }
  counter.share = <f64>counter.words.length / <f64>counter.total;
  console.log(counter.share.toString());
  return counter.words.length;
}

export function main(): void {
  console.log(count(3).toString());
}
