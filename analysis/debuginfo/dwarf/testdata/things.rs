#![no_std]
pub enum Shape { Dot, Line(u32), Rect { w: u16, h: u16 } }
pub struct Pair<T> { pub a: T, pub b: T }
impl<T: Copy> Pair<T> { #[inline(never)] pub fn first(&self) -> T { self.a } }
pub mod inner { pub static COUNT: u32 = 7; #[inline(never)] pub fn twice(x: i64) -> i64 { let y = x * 2; y } }
#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
#[inline(never)]
fn area(s: &Shape) -> u32 {
    match s { Shape::Dot => 0, Shape::Line(n) => *n, Shape::Rect { w, h } => { let p = *w as u32 * *h as u32; p } }
}
#[no_mangle]
pub extern "C" fn run(n: i32) -> i32 {
    let p = Pair { a: n, b: 2 };
    let some: Option<i32> = if n > 1 { Some(n) } else { None };
    let maybe: Option<&Pair<i32>> = if n > 2 { Some(&p) } else { None };
    let text = "hello";
    let bytes: &[u8] = &[1, 2, 3];
    let c = 'é';
    let t = (n, 2.5f64, true);
    let shape = if n > 3 { Shape::Rect { w: 3, h: 4 } } else if n > 2 { Shape::Line(5) } else { Shape::Dot };
    let add = |k: i32| k.wrapping_add(p.a);
    let _ = inner::twice(3);
    let _ = inner::COUNT;
    p.first() + some.unwrap_or(0) + maybe.is_some() as i32 + text.len() as i32 + bytes.len() as i32 + c as i32
        + t.0 + area(&shape) as i32 + add(4)
}
