// Closures with what they capture, and functions that take them.
#![no_std]
#![feature(default_alloc_error_handler)]
include!("rt.rs");

#[inline(never)]
fn apply<F: Fn(i32) -> i32>(f: F, n: i32) -> i32 {
    let once = f(n);
    let twice = f(once);
    twice
}

#[no_mangle]
pub extern "C" fn run(k: i32) -> i32 {
    let by = 3 * k;
    let add = |n: i32| {
        let sum = n + by;
        sum
    };
    let a = apply(add, 10);
    let mut count = 0;
    let mut tick = || {
        count += 1;
        count
    };
    let one = tick();
    let two = tick();
    a + one + two
}
