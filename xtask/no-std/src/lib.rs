//! The standard library brings a panic handler, and a program can have only one. So this is
//! refused by the compiler ("found duplicate lang item `panic_impl`") as soon as anything below
//! links the standard library.
#![no_std]

pub use tickseed;
pub use tickseed_core;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
