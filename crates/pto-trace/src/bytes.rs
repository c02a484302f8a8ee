//! A list of bytes that grows without being moved.

/// A piece of data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DataAt {
    chunk: u32,
    first: u32,
}

/// Bytes in chunks.
#[derive(Clone, Default, Debug)]
pub(crate) struct DataChunks {
    chunks: Vec<Vec<u8>>,
    total: u64,
}

/// Bytes of the first chunk. Each has twice the room of the one before, up to a limit: memory that is not used costs nothing.
const FIRST_CHUNK: usize = 4 << 20;
const LAST_CHUNK: usize = 64 << 20;

impl DataChunks {
    /// Bytes in all.
    pub fn len(&self) -> u64 {
        self.total
    }

    /// Adds what a function appends; it appends at most `most` bytes.
    pub fn add(&mut self, most: usize, write: impl FnOnce(&mut Vec<u8>)) -> DataAt {
        if self.chunks.last().is_none_or(|c| c.capacity() - c.len() < most) {
            let usual = (FIRST_CHUNK << self.chunks.len().min(8)).min(LAST_CHUNK);
            self.chunks.push(Vec::with_capacity(most.max(usual)));
            pto_cpu::prefer_large_pages(&self.chunks[self.chunks.len() - 1]);
        }
        let at = self.chunks.len() - 1;
        let chunk = &mut self.chunks[at];
        let first = chunk.len();
        write(chunk);
        self.total += (chunk.len() - first) as u64;
        DataAt { chunk: at as u32, first: first as u32 }
    }

    /// Bytes from a place on.
    pub fn get(&self, at: DataAt, length: usize) -> &[u8] {
        self.chunks.get(at.chunk as usize).and_then(|c| c.get(at.first as usize..)?.get(..length)).unwrap_or(&[])
    }
}
