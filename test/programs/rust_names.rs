// Functions whose Rust symbols have generic arguments, trait implementations, closures and letters
// that are not ASCII; each works for a while.
use std::hint::black_box;

trait Shape {
    fn area(&self, steps: u64) -> u64;
}
struct Square<const N: usize>;
impl<const N: usize> Shape for Square<N> {
    #[inline(never)]
    fn area(&self, steps: u64) -> u64 {
        spin(steps + N as u64).wrapping_add(1)
    }
}

mod caf {
    #[inline(never)]
    pub fn gödel<T: Into<u64>>(steps: T) -> u64 {
        super::spin(steps.into()).wrapping_add(1)
    }
}

#[inline(never)]
fn spin(steps: u64) -> u64 {
    let mut sum = 0u64;
    for i in 0..steps {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(i));
    }
    sum
}

#[inline(never)]
fn apply<F: Fn(u64) -> u64>(function: F) -> u64 {
    function(30_000_000).wrapping_add(1)
}

fn main() {
    let shape: Box<dyn Shape> = black_box(Box::new(Square::<3>));
    let mut sum = shape.area(30_000_000).wrapping_add(1);
    sum = sum.wrapping_add(caf::gödel(30_000_000u32));
    sum = sum.wrapping_add(apply(|steps| spin(steps).wrapping_add(2)));
    println!("{}", sum != 1);
}
