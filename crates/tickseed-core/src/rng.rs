//! Seeded randomness, one stream per agent.

/// A small, fast random stream (a 64-bit counter and a mixing function). Every random node, and
/// every leaf that needs randomness, draws from the agent's own stream, so that an agent's run can
/// be repeated from its seed. Not for cryptography.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A stream from a seed; any seed will do.
    #[must_use]
    pub const fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// The stream's current state; passing it to [`Rng::new`] continues the stream.
    #[must_use]
    pub const fn state(&self) -> u64 {
        self.0
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0.0 .. 1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in `0 .. n`, without noticeable bias; `0` for `n == 0`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// An index chosen with a probability proportional to its weight. Weights that are negative or
    /// not a number count as zero; `None` if no weight is positive.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> Option<usize> {
        let positive = |w: f64| if w > 0.0 { w.min(f64::MAX / 1e6) } else { 0.0 };
        let total: f64 = weights.clone().map(positive).sum();
        if total <= 0.0 {
            return None;
        }
        let mut left = self.unit() * total;
        let mut last = None;
        for (i, w) in weights.map(positive).enumerate() {
            if w > 0.0 {
                last = Some(i);
                if left < w {
                    return last;
                }
                left -= w;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_streams() {
        let (mut a, mut b) = (Rng::new(7), Rng::new(7));
        assert!((0..100).all(|_| a.next_u64() == b.next_u64()));
        assert_ne!(Rng::new(1).next_u64(), Rng::new(2).next_u64());
    }

    #[test]
    fn weights_decide_and_bad_ones_count_as_none() {
        let mut rng = Rng::new(3);
        let w = [0.0, 1.0, f64::NAN, 3.0, -5.0];
        let mut hits = [0; 5];
        for _ in 0..4000 {
            hits[rng.weighted(w.iter().copied()).unwrap()] += 1;
        }
        assert_eq!((hits[0], hits[2], hits[4]), (0, 0, 0));
        assert!((900..1100).contains(&hits[1]), "{hits:?}");
        assert_eq!(rng.weighted([0.0, f64::NAN].into_iter()), None);
    }
}
