//! CRC-32 (the polynomial of zip and Ethernet), eight bytes per step.
//!
//! Any damage within 32 neighbouring bits is certain to be found; other damage is missed in one of
//! four thousand million cases.

const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
            bit += 1;
        }
        tables[0][i] = crc;
        i += 1;
    }
    let mut t = 1;
    while t < 8 {
        let mut i = 0;
        while i < 256 {
            let previous = tables[t - 1][i];
            tables[t][i] = (previous >> 8) ^ tables[0][(previous & 0xFF) as usize];
            i += 1;
        }
        t += 1;
    }
    tables
}

pub(super) struct Crc(u32);

impl Crc {
    pub(super) fn new() -> Self {
        Self(!0)
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            let low = crc ^ u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
            let [a, b, c, d] = low.to_le_bytes();
            crc = TABLES[7][a as usize]
                ^ TABLES[6][b as usize]
                ^ TABLES[5][c as usize]
                ^ TABLES[4][d as usize]
                ^ TABLES[3][chunk[4] as usize]
                ^ TABLES[2][chunk[5] as usize]
                ^ TABLES[1][chunk[6] as usize]
                ^ TABLES[0][chunk[7] as usize];
        }
        for &byte in rest {
            crc = (crc >> 8) ^ TABLES[0][((crc ^ u32::from(byte)) & 0xFF) as usize];
        }
        self.0 = crc;
    }

    pub(super) fn done(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_check_values() {
        let crc32 = |parts: &[&[u8]]| {
            let mut crc = Crc::new();
            parts.iter().for_each(|part| crc.add(part));
            crc.done()
        };
        assert_eq!(crc32(&[b"123456789"]), 0xCBF4_3926);
        assert_eq!(crc32(&[b"1234", b"", b"56789"]), 0xCBF4_3926);
        assert_eq!(crc32(&[]), 0);
        assert_eq!(
            crc32(&[b"The quick brown fox jumps over the lazy dog"]),
            0x414F_A339
        );
    }
}
