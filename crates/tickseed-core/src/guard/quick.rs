//! Comparisons in the form that the executor evaluates fastest: is a small value, minus a start and
//! with wrap-around, within a span?

use super::{Test, order_f64};
use crate::key::{Place, ScalarType};

/// A [`Test`] prepared for the executor.
pub(crate) enum Judged {
    /// The answer does not depend on the value.
    Always(bool),
    /// A comparison of a small value in the block.
    Quick(Quick),
}

/// A comparison of a value of at most four bytes in the block: is `value - from`, with wrap-around,
/// at most `span`? Every comparison with a constant, negated or not, has this form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Quick {
    pub(crate) offset: u32,
    from: u32,
    span: u32,
}

/// Bytes of a block. Blocks keep their layout, so only a faulty context can put them out of bounds;
/// they then read as zero.
#[inline(always)]
fn bytes<const N: usize>(block: &[u8], at: u32) -> [u8; N] {
    match block.get(at as usize..at as usize + N) {
        Some(b) => b.try_into().unwrap_or([0; N]),
        None => [0; N],
    }
}

impl Quick {
    /// The opposite comparison.
    pub(crate) fn flipped(self) -> Quick {
        // A range is never all numbers or none, so its complement on the circle is a range as well.
        Quick {
            from: self.from.wrapping_add(self.span).wrapping_add(1),
            span: u32::MAX - 1 - self.span,
            ..self
        }
    }

    /// The answer of this comparison, if it follows from `known` holding for the same value.
    pub(crate) fn follows(self, known: Quick) -> Option<bool> {
        // Relative to the start of the known range.
        let from = u64::from(self.from.wrapping_sub(known.from));
        let to = from + u64::from(self.span);
        let (known_to, round) = (u64::from(known.span), 1u64 << 32);
        if (from == 0 && to >= known_to) || to >= round + known_to {
            Some(true)
        } else if from > known_to && to < round {
            Some(false)
        } else {
            None
        }
    }

    /// A range that holds every value for which both comparisons hold, none larger than
    /// `known`.
    pub(crate) fn narrow(self, known: Quick) -> Quick {
        let from = u64::from(self.from.wrapping_sub(known.from));
        let to = from + u64::from(self.span);
        let (known_to, round) = (u64::from(known.span), 1u64 << 32);
        // The part at its own start, and the part that wraps around.
        let (lo, hi) = match (from <= known_to, to >= round) {
            (true, false) => (from, to.min(known_to)),
            (false, true) => (0, (to - round).min(known_to)),
            _ => return known,
        };
        Quick {
            from: known.from.wrapping_add(lo as u32),
            span: (hi - lo) as u32,
            ..known
        }
    }

    #[inline(always)]
    fn includes(&self, value: u32) -> bool {
        value.wrapping_sub(self.from) <= self.span
    }

    /// Evaluates an integer of four bytes.
    #[inline(always)]
    pub(crate) fn whole(&self, block: &[u8]) -> bool {
        self.includes(u32::from_ne_bytes(bytes(block, self.offset)))
    }

    /// Evaluates a fraction of four bytes.
    #[inline(always)]
    pub(crate) fn fraction(&self, block: &[u8]) -> bool {
        self.includes(order_f32(u32::from_ne_bytes(bytes(block, self.offset))))
    }

    /// Evaluates a value of fewer bytes.
    pub(crate) fn small(&self, ty: ScalarType, block: &[u8]) -> bool {
        self.includes(match ty {
            ScalarType::I16 => i32::from(i16::from_ne_bytes(bytes(block, self.offset))) as u32,
            ScalarType::U16 => u16::from_ne_bytes(bytes(block, self.offset)).into(),
            ScalarType::I8 => i32::from(i8::from_ne_bytes(bytes(block, self.offset))) as u32,
            ScalarType::Bool => (u8::from_ne_bytes(bytes(block, self.offset)) != 0).into(),
            _ => u8::from_ne_bytes(bytes(block, self.offset)).into(),
        })
    }
}

/// [`Quick`] for an integer of four bytes; it may also hold for no number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    offset: u32,
    from: u32,
    len: u32,
}

impl From<Quick> for Span {
    fn from(quick: Quick) -> Span {
        // Never all numbers, so the length fits.
        Span {
            offset: quick.offset,
            from: quick.from,
            len: quick.span + 1,
        }
    }
}

impl Span {
    /// Holds for no number.
    pub(crate) const NEVER: Span = Span {
        offset: 0,
        from: 0,
        len: 0,
    };

    #[inline(always)]
    pub(crate) fn holds(&self, block: &[u8]) -> bool {
        let value = u32::from_ne_bytes(bytes(block, self.offset));
        value.wrapping_sub(self.from) < self.len
    }
}

/// Maps the bits of a number to an integer in the same order; the zeros are next to each
/// other, and NaN lies beyond the infinities.
#[inline(always)]
fn order_f32(bits: u32) -> u32 {
    bits ^ ((bits as i32 >> 31) as u32 >> 1)
}

impl Test {
    /// The test in its quick form, if it has one.
    pub(crate) fn quick(&self) -> Option<Judged> {
        let Place::Block(offset) = self.source.place else {
            return None;
        };
        // The values the type has, in the encoding of this test and in that of the quick one.
        let (least, most): (i64, i64) = match self.source.ty {
            ScalarType::Bool => (0, 1),
            ScalarType::I8 => (i8::MIN.into(), i8::MAX.into()),
            ScalarType::U8 => (0, u8::MAX.into()),
            ScalarType::I16 => (i16::MIN.into(), i16::MAX.into()),
            ScalarType::U16 => (0, u16::MAX.into()),
            ScalarType::I32 => (i32::MIN.into(), i32::MAX.into()),
            ScalarType::U32 => (0, u32::MAX.into()),
            ScalarType::F32 => return self.quick_fraction(offset),
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => return None,
        };
        let (lo, hi): (i64, i64) = (self.lo.max(least), self.hi.min(most));
        if lo > hi {
            return Some(Judged::Always(self.negate));
        }
        if lo == least && hi == most {
            return Some(Judged::Always(!self.negate));
        }
        let quick = Quick {
            offset,
            from: lo as u32,
            span: (hi - lo) as u32,
        };
        Some(Judged::Quick(if self.negate {
            quick.flipped()
        } else {
            quick
        }))
    }

    /// The bounds are numbers in the wide encoding: looks for the nearest single-precision
    /// numbers inside them.
    fn quick_fraction(&self, offset: u32) -> Option<Judged> {
        let inf = order_f64(f64::INFINITY)?;
        // Only NaN lies beyond the infinities.
        let (lo, hi) = (self.lo.max(order_f64(f64::NEG_INFINITY)?), self.hi.min(inf));
        if lo > hi {
            return Some(Judged::Always(self.negate));
        }
        let wide = |ordered: i64| {
            f64::from_bits((ordered ^ (((ordered >> 63) as u64) >> 1) as i64) as u64)
        };
        let narrow = |f: f32| order_f32((f + 0.0).to_bits()) as i32;
        let mut from = wide(lo) as f32;
        if f64::from(from) < wide(lo) {
            from = from.next_up();
        }
        let mut to = wide(hi) as f32;
        // The wide encoding has a place for negative zero, which no value takes: a bound
        // there means everything below zero.
        if f64::from(to) > wide(hi) || hi == -1 {
            to = to.next_down();
        }
        if from > to {
            return Some(Judged::Always(self.negate));
        }
        // Negative zero comes right before zero.
        let from = if from == 0.0 { -1 } else { narrow(from) };
        let to = narrow(to);
        let quick = Quick {
            offset,
            from: from as u32,
            span: to.wrapping_sub(from) as u32,
        };
        Some(Judged::Quick(if self.negate {
            quick.flipped()
        } else {
            quick
        }))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::context::Context;
    use crate::guard::{Op, Source};
    use crate::key::{KeyId, Scalar};

    struct Block([u8; 8]);
    impl Context for Block {
        type At<'a> = Block;
        fn block(at: &Block) -> &[u8] {
            &at.0
        }
    }

    const OPS: [Op; 6] = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];

    fn plain<T: PartialOrd>(op: Op, a: T, b: T) -> bool {
        match op {
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Gt => a > b,
            Op::Ge => a >= b,
            Op::Eq => a == b,
            Op::Ne => a != b,
        }
    }

    fn source(ty: ScalarType) -> Source {
        Source {
            key: KeyId(0),
            ty,
            place: Place::Block(0),
        }
    }

    /// The quick form's answer, checked against that of its double negation.
    fn quickly(t: &Test, block: &[u8]) -> Option<bool> {
        Some(match t.quick()? {
            Judged::Always(b) => b,
            Judged::Quick(q) => {
                let judge = |q: Quick| match t.source.ty {
                    ScalarType::F32 => q.fraction(block),
                    ScalarType::I32 | ScalarType::U32 => q.whole(block),
                    ty => q.small(ty, block),
                };
                assert_ne!(judge(q), judge(q.flipped()));
                assert_eq!(q, q.flipped().flipped());
                judge(q)
            }
        })
    }

    #[test]
    fn small_whole_numbers_are_judged_quickly_and_alike() {
        for c in [
            -70_000_i64,
            -129,
            -128,
            -1,
            0,
            1,
            127,
            128,
            255,
            256,
            40_000,
            3_000_000_000,
        ] {
            for v in [-128_i64, -1, 0, 1, 5, 127, 200, 255] {
                for op in OPS {
                    for ty in [
                        ScalarType::I8,
                        ScalarType::U8,
                        ScalarType::I16,
                        ScalarType::U16,
                        ScalarType::I32,
                        ScalarType::U32,
                    ] {
                        let bits = v.to_ne_bytes();
                        let t = Test::new(source(ty), op, Scalar::Int(c));
                        let Some(Scalar::Int(value)) = ty.load(&bits, 0) else {
                            panic!("not a whole number")
                        };
                        assert_eq!(
                            quickly(&t, &bits),
                            Some(plain(op, value, c)),
                            "{value} {op:?} {c} as {ty:?}"
                        );
                    }
                }
            }
        }
        for v in [0, 1] {
            let t = Test::new(source(ScalarType::Bool), Op::Eq, Scalar::Bool(true));
            assert_eq!(quickly(&t, &[v]), Some(v == 1));
        }
    }

    #[test]
    fn comparisons_of_fractions_agree_with_rust() {
        let values = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.5,
            -1.0,
            -f64::MIN_POSITIVE,
            -0.0,
            0.0,
            f64::MIN_POSITIVE,
            0.2,
            1.0,
            1.5,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        for &v in &values {
            for &c in &values {
                for op in OPS {
                    let wide = Block(v.to_ne_bytes());
                    let t = Test::new(source(ScalarType::F64), op, Scalar::Float(c));
                    assert_eq!(t.passes::<Block>(&wide), plain(op, v, c), "{v} {op:?} {c}");
                    let (v, c) = (v as f32, c as f32);
                    let mut b = [0; 8];
                    b[..4].copy_from_slice(&v.to_ne_bytes());
                    let t = Test::new(source(ScalarType::F32), op, Scalar::Float(c.into()));
                    assert_eq!(
                        t.passes::<Block>(&Block(b)),
                        plain(op, v, c),
                        "{v} {op:?} {c}"
                    );
                    assert_eq!(quickly(&t, &b), Some(plain(op, v, c)), "{v} {op:?} {c}");
                    for wide in [0.2, -0.2, 1e-320, -1e-320, 1e300] {
                        let t = Test::new(source(ScalarType::F32), op, Scalar::Float(wide));
                        assert_eq!(
                            quickly(&t, &b),
                            Some(plain(op, f64::from(v), wide)),
                            "{v} {op:?} {wide}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_of_whole_numbers_agree_with_rust() {
        let values = [
            i64::MIN,
            i64::MIN + 1,
            -2,
            -1,
            0,
            1,
            2,
            i64::MAX - 1,
            i64::MAX,
        ];
        for &v in &values {
            for &c in &values {
                for op in OPS {
                    let t = Test::new(source(ScalarType::I64), op, Scalar::Int(c));
                    assert_eq!(t.passes::<Block>(&Block(v.to_ne_bytes())), plain(op, v, c));
                }
            }
        }
        for &v in &[-3_i64, -2, -1, 0, 1, 2, 3] {
            for &c in &[
                -2.5,
                -1.0,
                -0.5,
                0.0,
                0.5,
                2.0,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
            ] {
                for op in OPS {
                    let t = Test::new(source(ScalarType::I64), op, Scalar::Float(c));
                    assert_eq!(
                        t.passes::<Block>(&Block(v.to_ne_bytes())),
                        plain(op, v as f64, c),
                        "{v} {op:?} {c}"
                    );
                }
            }
        }
    }

    #[test]
    fn outside_the_block_nothing_passes_but_ne() {
        let far = Source {
            key: KeyId(0),
            ty: ScalarType::F64,
            place: Place::Block(4),
        };
        assert!(!Test::new(far, Op::Ge, Scalar::Float(0.0)).passes::<Block>(&Block([0; 8])));
        assert!(Test::new(far, Op::Ne, Scalar::Float(0.0)).passes::<Block>(&Block([0; 8])));
    }

    #[test]
    fn what_follows_from_what_is_known_is_so_for_every_value() {
        let quick = |from: u32, span: u32| Quick {
            offset: 0,
            from,
            span,
        };
        let ends = [0, 1, 2, 5, 6, u32::MAX - 1, u32::MAX];
        let mut told = 0;
        for n in 0..7usize.pow(4) {
            let [a, b, c, d] = [n % 7, n / 7 % 7, n / 49 % 7, n / 343].map(|i| ends[i]);
            let (one, known) = (quick(a, b), quick(c, d));
            let near = (-14..14i32).map(|n| n as u32);
            let values: Vec<u32> = near
                .chain([a, a.wrapping_add(b), c, c.wrapping_add(d)])
                .flat_map(|v| [v.wrapping_sub(1), v, v.wrapping_add(1)])
                .filter(|&v| known.includes(v))
                .collect();
            if let Some(holds) = one.follows(known) {
                told += 1;
                assert!(
                    values.iter().all(|&v| one.includes(v) == holds),
                    "{one:?} {known:?}"
                );
            } else {
                assert!(values.iter().any(|&v| one.includes(v)), "{one:?} {known:?}");
                let both = one.narrow(known);
                assert!(both.span <= known.span);
                let ok = |&&v: &&u32| one.includes(v);
                assert!(
                    values.iter().filter(ok).all(|&v| both.includes(v)),
                    "{one:?} {known:?}"
                );
            }
        }
        assert!(told > 1000, "{told}");
    }
}
