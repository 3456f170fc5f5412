//! The bytes of one shard.
//!
//! A shard holds the bricks of a box of the brick grid, and an index. A brick's *slot* is its number in that box, in
//! row-major order. As we lay a shard out, the brick in slot `s` begins at `first_brick + s * stride`, where `stride` is the
//! bytes of a brick rounded up to the alignment. The index has an entry for each slot: offset and length, 8 bytes each,
//! little-endian; then, if there is one, their CRC-32C in 4 bytes. So offsets and index are a function of the shape alone,
//! and nothing of them is kept in memory. A shard without an index holds one brick and nothing else: a Zarr chunk.
//!
//! Source: Zarr v3 `sharding_indexed` 1.0, `bytes`, `crc32c`.

use super::Alignment;
use section::Shape;

/// Where the index of a shard is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexLocation {
    /// Before the bricks.
    Start,
    /// After the bricks, and nothing after it.
    End,
}

/// How the index of a shard is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexFormat {
    /// Where.
    pub location: IndexLocation,
    /// Whether its CRC-32C follows it.
    pub checksum: bool,
}

impl IndexFormat {
    /// What we write.
    pub const OURS: Self = Self { location: IndexLocation::End, checksum: true };

    /// Bytes of an index of so many entries; `None` if it does not fit in 64 bits.
    pub const fn checked_bytes(self, entries: u64) -> Option<u64> {
        match entries.checked_mul(IndexEntry::BYTES as u64) {
            Some(bytes) => bytes.checked_add(self.checksum_bytes()),
            None => None,
        }
    }

    /// Bytes of the checksum: 4 or none.
    pub const fn checksum_bytes(self) -> u64 {
        if self.checksum { 4 } else { 0 }
    }
}

/// What an index says of one brick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexEntry {
    /// Where the brick begins in the shard.
    pub offset_bytes: u64,
    /// How long it is.
    pub len_bytes: u64,
}

impl IndexEntry {
    /// Bytes of an entry.
    pub const BYTES: usize = 16;
    /// The entry of a brick that the shard does not have.
    pub const MISSING: Self = Self { offset_bytes: u64::MAX, len_bytes: u64::MAX };

    /// As it is stored.
    pub fn encode(self) -> [u8; Self::BYTES] {
        let mut stored = [0; Self::BYTES];
        stored[..8].copy_from_slice(&self.offset_bytes.to_le_bytes());
        stored[8..].copy_from_slice(&self.len_bytes.to_le_bytes());
        stored
    }

    /// From what is stored.
    pub fn decode(stored: [u8; Self::BYTES]) -> Self {
        let ([offset, len], []) = stored.as_chunks() else { unreachable!("two words of eight bytes") };
        Self { offset_bytes: u64::from_le_bytes(*offset), len_bytes: u64::from_le_bytes(*len) }
    }
}

/// Where everything is in a shard that we lay out. All shards of an array are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShardLayout {
    bricks: Shape,
    brick_bytes: u64,
    stride_bytes: u64,
    first_brick: u64,
    index: Option<IndexFormat>,
}

impl ShardLayout {
    /// A shard of a box of bricks; without an index, of one brick. `None` if its bytes do not fit in 63 bits, which no file
    /// can have.
    pub fn new(
        bricks: &Shape,
        brick_bytes: u64,
        alignment: Alignment,
        index: Option<IndexFormat>,
    ) -> Option<Self> {
        let count = bricks.checked_len()?;
        debug_assert!(count == 1 || index.is_some(), "{count} bricks need an index");
        let index_bytes = index.map_or(Some(0), |index| index.checked_bytes(count))?;
        let at_start = index.is_some_and(|index| index.location == IndexLocation::Start);
        let first_brick = if at_start { alignment.round_up(index_bytes)? } else { 0 };
        let stride_bytes = if index.is_some() { alignment.round_up(brick_bytes)? } else { brick_bytes };
        let end = count.checked_mul(stride_bytes)?.checked_add(first_brick)?.checked_add(index_bytes)?;
        i64::try_from(end).ok()?;
        Some(Self { bricks: *bricks, brick_bytes, stride_bytes, first_brick, index })
    }

    /// Bricks in each dimension.
    pub fn bricks(&self) -> &Shape {
        &self.bricks
    }

    /// Number of bricks, also of those outside the array.
    pub fn bricks_count(&self) -> u64 {
        self.bricks.iter().product()
    }

    /// Bytes of a brick.
    pub fn brick_bytes(&self) -> u64 {
        self.brick_bytes
    }

    /// Bytes from one brick to the next.
    pub fn stride_bytes(&self) -> u64 {
        self.stride_bytes
    }

    /// How the index is stored; `None` for a chunk that is one brick.
    pub fn index(&self) -> Option<IndexFormat> {
        self.index
    }

    /// Where the brick in `slot` begins.
    pub fn offset_bytes(&self, slot: u64) -> u64 {
        debug_assert!(slot < self.bricks_count());
        self.first_brick + slot * self.stride_bytes
    }

    /// What the index says of `slot`.
    pub fn entry(&self, slot: u64) -> IndexEntry {
        IndexEntry { offset_bytes: self.offset_bytes(slot), len_bytes: self.brick_bytes }
    }

    /// Bytes of the index with its checksum.
    pub fn index_bytes(&self) -> u64 {
        let entries_bytes = self.bricks_count() * IndexEntry::BYTES as u64;
        self.index.map_or(0, |index| entries_bytes + index.checksum_bytes())
    }

    /// Where the index begins.
    pub fn index_offset_bytes(&self) -> u64 {
        self.index_offset_in(self.len_bytes())
    }

    /// Where the index begins in a shard of `len_bytes` that someone else wrote.
    pub(crate) fn index_offset_in(&self, len_bytes: u64) -> u64 {
        match self.index.map(|index| index.location) {
            Some(IndexLocation::Start) => 0,
            Some(IndexLocation::End) | None => len_bytes.saturating_sub(self.index_bytes()),
        }
    }

    /// Bytes of the whole shard.
    pub fn len_bytes(&self) -> u64 {
        let bricks_end = self.first_brick + self.bricks_count() * self.stride_bytes;
        if self.first_brick > 0 { bricks_end } else { bricks_end + self.index_bytes() }
    }

    /// The index as it is stored, in pieces of at most [`PIECE_BYTES`](Self::PIECE_BYTES) in order; nothing for a chunk
    /// that is one brick.
    ///
    /// # Errors
    /// What `take` returns.
    pub fn write_index<E>(&self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let Some(format) = self.index else { return Ok(()) };
        let mut piece = Vec::with_capacity(Self::PIECE_BYTES);
        let mut checksum = 0;
        let mut flush = |piece: &mut Vec<u8>| {
            checksum = crc32c::crc32c_append(checksum, piece);
            take(piece).map(|()| piece.clear())
        };
        for slot in 0..self.bricks_count() {
            if piece.len() == Self::PIECE_BYTES {
                flush(&mut piece)?;
            }
            piece.extend(self.entry(slot).encode());
        }
        flush(&mut piece)?;
        if format.checksum { take(&checksum.to_le_bytes()) } else { Ok(()) }
    }

    /// The longest piece of an index that is in memory at a time.
    pub const PIECE_BYTES: usize = 1 << 16;

    /// The checksum of the index, whether or not it is stored.
    pub fn index_checksum(&self) -> u32 {
        let mut checksum = 0;
        let without = self.index.map(|index| IndexFormat { checksum: false, ..index });
        let sum = |piece: &[u8]| -> Result<(), std::convert::Infallible> {
            checksum = crc32c::crc32c_append(checksum, piece);
            Ok(())
        };
        match (Self { index: without, ..*self }).write_index(sum) {
            Ok(()) => checksum,
        }
    }

    /// Whether a brick may be where an index entry says in a shard of `len_bytes`: its exact length, inside the shard and
    /// apart from the index. The reason if not.
    pub(crate) fn check_entry(&self, entry: IndexEntry, len_bytes: u64) -> Result<(), String> {
        let IndexEntry { offset_bytes, len_bytes: got } = entry;
        if got != self.brick_bytes {
            return Err(format!("{got} bytes instead of {}", self.brick_bytes));
        }
        let index_begin = self.index_offset_in(len_bytes);
        let index_end = index_begin + self.index_bytes();
        match offset_bytes.checked_add(got) {
            Some(end) if end <= len_bytes && (end <= index_begin || offset_bytes >= index_end) => Ok(()),
            _ => Err(format!("at byte {offset_bytes} of {len_bytes}, with the index at {index_begin}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(bricks: &[u64], brick_bytes: u64, index: Option<IndexFormat>) -> Option<ShardLayout> {
        ShardLayout::new(&Shape::new(bricks).unwrap(), brick_bytes, Alignment::new(4096).unwrap(), index)
    }

    fn index(layout: &ShardLayout) -> Vec<u8> {
        let mut stored = vec![];

        let keep = |piece: &[u8]| -> Result<(), ()> {
            stored.extend(piece);
            Ok(())
        };
        layout.write_index(keep).unwrap();
        stored
    }

    const START: IndexFormat = IndexFormat { location: IndexLocation::Start, checksum: false };

    #[test]
    fn bricks_are_aligned_and_exactly_as_long_as_they_are() {
        let shard = layout(&[2, 3], 5000, Some(IndexFormat::OURS)).unwrap();
        assert_eq!(shard.entry(4), IndexEntry { offset_bytes: 4 * 8192, len_bytes: 5000 });
        assert_eq!((shard.index_offset_bytes(), shard.index_bytes()), (6 * 8192, 6 * 16 + 4));
        assert_eq!(shard.len_bytes(), 6 * 8192 + 100, "nothing follows the index");
    }

    #[test]
    fn an_index_at_the_start_is_followed_by_bricks_that_are_aligned_too() {
        let shard = layout(&[300], 16, Some(START)).unwrap();
        assert_eq!((shard.index_offset_bytes(), shard.offset_bytes(0)), (0, 8192));
        assert_eq!(shard.len_bytes(), 8192 + 300 * 4096);
    }

    #[test]
    fn a_chunk_without_an_index_is_one_brick() {
        let shard = layout(&[1, 1], 24, None).unwrap();
        assert_eq!((shard.len_bytes(), shard.index_bytes(), shard.offset_bytes(0)), (24, 0, 0));
        assert!(index(&shard).is_empty());
    }

    #[test]
    fn the_index_is_written_in_pieces_and_ends_with_its_checksum() {
        let shard = layout(&[100, 100], 8, Some(IndexFormat::OURS)).unwrap();
        let stored = index(&shard);
        assert_eq!(stored.len() as u64, shard.index_bytes());
        let (entries, checksum) = stored.split_at(160_000);
        assert_eq!(checksum, crc32c::crc32c(entries).to_le_bytes());
        assert_eq!(shard.index_checksum(), crc32c::crc32c(entries));
        for (slot, entry) in (0..).zip(entries.chunks_exact(16)) {
            assert_eq!(IndexEntry::decode(entry.try_into().unwrap()), shard.entry(slot));
        }
    }

    #[test]
    fn a_known_index_has_these_bytes() {
        // CRC-32C of the 16 bytes by another implementation (google-crc32c 1.9.0).
        let stored = index(&layout(&[1], 8, Some(IndexFormat::OURS)).unwrap());
        assert_eq!(stored, [0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x30, 0x9E, 0x4B, 0]);
    }

    #[test]
    fn a_shard_that_no_file_can_hold_has_no_layout() {
        assert!(layout(&[1 << 32, 1 << 32], 8, Some(IndexFormat::OURS)).is_none());
        assert!(layout(&[2], 1 << 62, Some(IndexFormat::OURS)).is_none());
        assert!(layout(&[1], u64::MAX, Some(IndexFormat::OURS)).is_none());
    }

    #[test]
    fn entries_that_no_valid_shard_has_are_told_apart() {
        let shard = layout(&[2], 100, Some(IndexFormat::OURS)).unwrap();
        let check = |offset_bytes, len_bytes| shard.check_entry(IndexEntry { offset_bytes, len_bytes }, 300);
        // 300 bytes: two bricks, 64 bytes that nobody uses, and an index of 36.
        assert!(check(0, 100).is_ok() && check(164, 100).is_ok() && check(1, 100).is_ok());
        assert!(check(0, 99).unwrap_err().contains("99 bytes instead of 100"));
        for (offset_bytes, len_bytes) in [(165, 100), (300, 100), (u64::MAX, 100), (u64::MAX - 50, 100)] {
            assert!(check(offset_bytes, len_bytes).unwrap_err().contains("with the index at 264"));
        }
    }
}
