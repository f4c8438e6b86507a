// Loops, ranges, labels, shadowing and patterns.
#![no_std]
#![feature(default_alloc_error_handler)]
include!("rt.rs");

#[derive(Clone, Copy)]
enum Color {
    Red = 1,
    Green = 5,
    Blue,
}

#[inline(never)]
fn grade(n: i32) -> char {
    let c = match n {
        i32::MIN..=-1 => 'n',
        0 => 'z',
        x if x > 100 => 'b',
        _ => 's',
    };
    c
}

#[no_mangle]
pub extern "C" fn run(k: i32) -> i32 {
    let x = k;
    let x = x + 1;
    let mut sum = 0;
    {
        let x = x as i64 * 100;
        sum += x as i32;
    }
    let colors = [Color::Red, Color::Green, Color::Blue];
    let mut i = 0;
    let found = loop {
        let c = colors[i];
        if let Color::Green = c {
            break c as i32;
        }
        i += 1;
    };
    let letters = (grade(-5), grade(0), grade(x));
    sum + found + letters.0 as i32 + letters.2 as i32
}
