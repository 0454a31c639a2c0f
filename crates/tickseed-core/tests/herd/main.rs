//! Herds: handles, ticking, faults, levels of detail, sleeping, cores.

mod basics;
#[cfg(feature = "rayon")]
mod cores;
mod events;
mod faults;
mod memory;
mod pace;
mod reload;
