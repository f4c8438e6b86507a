// Enums with data, and what a match binds.
#![no_std]
#![feature(default_alloc_error_handler)]
include!("rt.rs");

enum Shape {
    Dot,
    Circle(i32),
    Rect { w: i32, h: i32 },
}

#[inline(never)]
fn area(s: &Shape) -> i32 {
    match s {
        Shape::Dot => 0,
        Shape::Circle(r) => {
            let square = r * r;
            3 * square
        }
        Shape::Rect { w, h } => {
            let product = w * h;
            product
        }
    }
}

#[no_mangle]
pub extern "C" fn run(k: i32) -> i32 {
    let dot = Shape::Dot;
    let circle = Shape::Circle(1 + k);
    let rect = Shape::Rect { w: 3 * k, h: 4 };
    let mut sum = area(&dot);
    sum += area(&circle);
    sum += area(&rect);
    sum
}
