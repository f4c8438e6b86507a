// String and Vec: what they own grows.
#![no_std]
#![feature(default_alloc_error_handler)]
include!("rt.rs");

use alloc::string::String;
use alloc::vec::Vec;

struct Person {
    name: String,
    scores: Vec<i32>,
}

#[inline(never)]
fn best(p: &Person) -> i32 {
    let mut max = 0;
    for s in &p.scores {
        if *s > max {
            max = *s;
        }
    }
    max
}

#[no_mangle]
pub extern "C" fn run(k: i32) -> i32 {
    let mut name = String::from("Ada");
    name.push_str(" L.");
    let mut scores: Vec<i32> = Vec::new();
    scores.push(10 * k);
    scores.push(30);
    scores.push(20);
    let person = Person { name, scores };
    let top = best(&person);
    let names: Vec<&str> = ["a", "bc"].to_vec();
    let length = person.name.len() + names.len();
    top + length as i32
}
