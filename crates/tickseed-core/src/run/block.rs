//! Numbers in an agent's block: little-endian, unaligned, read and written without `unsafe`.

use crate::compile::Offset;
use crate::time::Deadline;

/// A number of `width` bytes (0, 1, 2 or 4); zero for width zero.
#[inline(always)]
pub(crate) fn get(mem: &[u8], at: Offset, width: u8) -> u32 {
    let at = at as usize;
    match width {
        0 => 0,
        1 => mem[at].into(),
        2 => u16::from_le_bytes([mem[at], mem[at + 1]]).into(),
        _ => u32::from_le_bytes([mem[at], mem[at + 1], mem[at + 2], mem[at + 3]]),
    }
}

/// Stores a number of `width` bytes.
#[inline(always)]
pub(crate) fn put(mem: &mut [u8], at: Offset, width: u8, value: u32) {
    let at = at as usize;
    match width {
        0 => {}
        1 => mem[at] = value as u8,
        2 => mem[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
        _ => mem[at..at + 4].copy_from_slice(&value.to_le_bytes()),
    }
}

/// A deadline of seven bytes. None is at the block's first byte, so it is read in one load with the
/// byte before it. The compiler guarantees its place, and the verifier checks it, so there is no
/// panic here, which would cost every step that reads a deadline.
#[inline(always)]
pub(crate) fn get_deadline(mem: &[u8], at: Offset) -> Deadline {
    let before = at.wrapping_sub(1) as usize;
    let eight = mem.get(before..before + 8).and_then(|b| b.first_chunk());
    match eight {
        Some(b) => Deadline::from_bits(u64::from_le_bytes(*b) >> 8),
        None => {
            debug_assert!(false, "a deadline out of bounds");
            Deadline::from_bits(0)
        }
    }
}

/// Stores a deadline.
#[inline(always)]
pub(crate) fn put_deadline(mem: &mut [u8], at: Offset, deadline: Deadline) {
    let at = at as usize;
    mem[at..at + 7].copy_from_slice(&deadline.bits().to_le_bytes()[..7]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_got() {
        let mut mem = [0xee; 12];
        for bits in [0, 1, 0xff_ffff, 0x0012_3456_789a_bcde, (1 << 56) - 1] {
            put_deadline(&mut mem, 2, Deadline::from_bits(bits));
            assert_eq!(get_deadline(&mem, 2).bits(), bits);
            assert_eq!((mem[1], mem[9]), (0xee, 0xee));
        }
        for (width, value) in [(1, 0xab), (2, 0xabcd), (4, 0xabcd_ef01)] {
            put(&mut mem, 3, width, value);
            assert_eq!(get(&mem, 3, width), value);
        }
    }
}
