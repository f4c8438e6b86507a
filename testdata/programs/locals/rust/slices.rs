// Arrays, slices, tuples and strings that are borrowed.
#![no_std]
#![feature(default_alloc_error_handler)]
include!("rt.rs");

#[inline(never)]
fn largest(values: &[i32]) -> (usize, i32) {
    let mut best = (0, values[0]);
    let mut i = 1;
    while i < values.len() {
        if values[i] > best.1 {
            best = (i, values[i]);
        }
        i += 1;
    }
    best
}

#[inline(never)]
fn first_word(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b' ' {
        end += 1;
    }
    &text[..end]
}

#[no_mangle]
pub extern "C" fn run(k: i32) -> i32 {
    let numbers = [3, 9 * k, 4, 1];
    let all = largest(&numbers);
    let tail = &numbers[2..];
    let rest = largest(tail);
    let text = "to be";
    let word = first_word(text);
    let letter = 'x';
    let pair = (word.len() as u8, all.1 as i64);
    let grid = [[1u8, 2], [3, 4]];
    all.0 as i32 + rest.1 + pair.0 as i32 + letter as i32 + grid[1][0] as i32
}
