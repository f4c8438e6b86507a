// Generic structs and functions, traits, and a function for two types.
#![no_std]
#![feature(default_alloc_error_handler)]
include!("rt.rs");

struct Pair<A, B> {
    first: A,
    second: B,
}

trait Size {
    fn size(&self) -> i32;
}

impl Size for i32 {
    fn size(&self) -> i32 {
        let n = *self;
        n
    }
}

impl Size for bool {
    fn size(&self) -> i32 {
        let n = if *self { 1 } else { 0 };
        n
    }
}

#[inline(never)]
fn total<A: Size, B: Size>(p: &Pair<A, B>) -> i32 {
    let a = p.first.size();
    let b = p.second.size();
    a + b
}

#[inline(never)]
fn swap<A, B>(p: Pair<A, B>) -> Pair<B, A> {
    let q = Pair { first: p.second, second: p.first };
    q
}

#[no_mangle]
pub extern "C" fn run(k: i32) -> i32 {
    let p = Pair { first: 5 * k, second: true };
    let t = total(&p);
    let q = swap(p);
    let u = total(&q);
    let f = Pair { first: 1.5f32, second: 2.5f64 };
    t + u + (f.first as f64 * f.second) as i32
}
