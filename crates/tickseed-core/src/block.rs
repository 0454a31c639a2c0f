//! The state bytes of an agent outside a herd.

use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

use crate::run::rarely;

/// Up to this many bytes are stored in the agent itself: a tick then fetches one cache line, and
/// making an agent allocates nothing. Most trees need fewer.
const HERE: usize = 22;

/// An agent's block.
#[derive(Clone)]
pub(crate) enum Block {
    Here { len: u8, bytes: [u8; HERE] },
    There(Box<[u8]>),
}

impl Block {
    /// A block of zeroes.
    pub(crate) fn new(len: usize) -> Block {
        if len <= HERE {
            Block::Here {
                len: len as u8,
                bytes: [0; HERE],
            }
        } else {
            Block::There(alloc::vec![0; len].into())
        }
    }

    /// The bytes, possibly followed by unused ones: for ticks, which know what they use. Also
    /// returns the first byte, or zero if there is none.
    #[inline(always)]
    pub(crate) fn at_least(&mut self) -> (&mut [u8], u32) {
        match self {
            Block::Here { bytes, .. } => {
                let first = bytes[0].into();
                (bytes, first)
            }
            Block::There(bytes) => {
                rarely();
                let first = bytes.first().copied();
                (bytes, first.unwrap_or(0).into())
            }
        }
    }
}

impl Deref for Block {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Block::Here { len, bytes } => &bytes[..usize::from(*len)],
            Block::There(bytes) => bytes,
        }
    }
}

impl DerefMut for Block {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Block::Here { len, bytes } => &mut bytes[..usize::from(*len)],
            Block::There(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_any_length_are_as_long_as_asked_for() {
        assert_eq!(size_of::<Block>(), 24);
        for len in [0, 1, HERE - 1, HERE, HERE + 1, 1000] {
            let mut block = Block::new(len);
            assert_eq!(&*block, alloc::vec![0; len]);
            block.fill(7);
            assert_eq!(&*block.clone(), alloc::vec![7; len]);
            let (bytes, first) = block.at_least();
            assert!(bytes.len() >= len);
            assert_eq!(first, if len > 0 { 7 } else { 0 });
        }
    }
}
