// Option and Result, of numbers and of references, and the operator `?`.
#![no_std]
#![feature(default_alloc_error_handler)]
include!("rt.rs");

#[inline(never)]
fn half(n: i32) -> Option<i32> {
    if n % 2 == 0 {
        let h = n / 2;
        Some(h)
    } else {
        None
    }
}

#[inline(never)]
fn quarter(n: i32) -> Option<i32> {
    let h = half(n)?;
    let q = half(h)?;
    Some(q)
}

#[inline(never)]
fn check(n: i32) -> Result<u8, i64> {
    if n < 100 {
        Ok(n as u8)
    } else {
        Err(-(n as i64))
    }
}

#[no_mangle]
pub extern "C" fn run(k: i32) -> i32 {
    let four = quarter(16 * k);
    let none = quarter(6 * k);
    let number = 7 * k;
    let there: Option<&i32> = Some(&number);
    let mut gone: Option<&i32> = None;
    let good = check(number);
    let bad = check(1000 * k);
    let mut sum = four.unwrap_or(0) + none.unwrap_or(1);
    if let Some(n) = there {
        sum += *n;
        gone = there;
    }
    if let Ok(b) = good {
        sum += b as i32;
    }
    if let Err(e) = bad {
        sum += e as i32;
    }
    sum + gone.is_some() as i32
}
