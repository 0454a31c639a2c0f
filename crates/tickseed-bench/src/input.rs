//! The input generator.

/// Marsaglia's 32-bit xorshift (13, 17, 5): no state beyond one word, the same on every machine.
#[derive(Clone, Debug)]
pub struct Xorshift(u32);

impl Xorshift {
    /// A generator whose sequence is a function of `seed`; zero, the one state it could not leave, is
    /// replaced.
    pub fn new(seed: u32) -> Self {
        Self(if seed == 0 { 0x9e37_79b9 } else { seed })
    }

    /// The next 32 bits, never zero.
    #[inline]
    pub fn draw(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}
