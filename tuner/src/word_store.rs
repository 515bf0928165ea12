//! Packed words of the rows of a fit: in memory, or beyond a limit in a temporary file. The file is mapped, so that a
//! pass reads it as it reads memory, and the system keeps as much of it in memory as there is room for.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use memmap2::Mmap;

/// Words in the order in which they were added.
pub(crate) struct WordStore {
    memory: Vec<u16>,
    /// Maximum bytes in memory.
    limit: u64,
    /// The file, while words are added.
    file: Option<BufWriter<File>>,
    map: Option<Mmap>,
    length: usize,
    /// First error of the file; later words are dropped.
    error: Option<io::Error>,
}

impl Default for WordStore {
    fn default() -> WordStore {
        WordStore::new(u64::MAX)
    }
}

impl WordStore {
    /// A store with this maximum of bytes in memory.
    pub(crate) fn new(limit: u64) -> WordStore {
        WordStore { memory: Vec::new(), limit, file: None, map: None, length: 0, error: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Bytes in memory; a file and its pages are not counted.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(self.memory.as_slice())
    }

    /// Bytes in the temporary file.
    pub(crate) fn file_size(&self) -> u64 {
        self.map.as_ref().map_or(0, |map| map.len() as u64)
    }

    /// All words, after [`WordStore::finish`].
    pub(crate) fn words(&self) -> &[u16] {
        match &self.map {
            #[expect(unsafe_code, reason = "bytes of a file become words without a copy")]
            // SAFETY: a map begins at a page, so it is aligned, and lives as long as `self`. Any bytes are words. The
            // file has no name, so that no other program changes it.
            Some(map) => unsafe { std::slice::from_raw_parts(map.as_ptr().cast(), map.len() / 2) },
            None => &self.memory,
        }
    }

    pub(crate) fn extend(&mut self, words: &[u16]) {
        if self.error.is_none() {
            self.error = self.write(words).err();
        }
        self.length += words.len();
    }

    /// Completes the store and frees unused memory.
    ///
    /// # Errors
    /// If the words could not be written to the temporary file.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.memory.shrink_to_fit();
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some(file) = self.file.take() else { return Ok(()) };
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        #[expect(unsafe_code, reason = "a memory map is a system call")]
        // SAFETY: the file has no name, so that no other program can shorten it.
        let map = unsafe { Mmap::map(&file)? };
        self.map = Some(map);
        Ok(())
    }

    fn write(&mut self, words: &[u16]) -> io::Result<()> {
        let is_full = 2 * (self.memory.len() + words.len()) as u64 > self.limit;
        if self.file.is_none() && is_full {
            self.file = Some(BufWriter::with_capacity(1 << 20, temporary_file()?));
            let before = std::mem::take(&mut self.memory);
            self.write_to_file(&before)?;
        }
        if self.file.is_some() {
            return self.write_to_file(words);
        }
        // Memory grows by an eighth: doubling would double the peak.
        if self.memory.capacity() - self.memory.len() < words.len() {
            self.memory.reserve_exact(self.memory.len() / 8 + words.len());
        }
        self.memory.extend_from_slice(words);
        Ok(())
    }

    fn write_to_file(&mut self, words: &[u16]) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        words.iter().try_for_each(|word| file.write_all(&word.to_ne_bytes()))
    }
}

/// A file without a name in the folder TMPDIR, else in /var/tmp, since /tmp is often in memory.
fn temporary_file() -> io::Result<File> {
    let large = std::path::Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && large.is_dir() {
        return tempfile::tempfile_in(large);
    }
    tempfile::tempfile()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_beyond_the_limit_are_in_a_file_and_the_same() {
        let all: Vec<u16> = (0..100_000_u32).map(|index| ((index * 40_503) >> 7) as u16).collect();
        for (limit, is_in_memory) in
            [(u64::MAX, true), (200_000, true), (199_999, false), (777, false), (0, false)]
        {
            let mut store = WordStore::new(limit);
            all.chunks(333).for_each(|chunk| store.extend(chunk));
            assert_eq!(store.len(), all.len());
            store.finish().unwrap();
            assert!(store.words() == all, "limit {limit}");
            let sizes = (store.memory(), store.file_size());
            assert_eq!(sizes, if is_in_memory { (200_000, 0) } else { (0, 200_000) }, "limit {limit}");
        }
        let mut empty = WordStore::new(0);
        empty.finish().unwrap();
        assert!(empty.words().is_empty());
    }
}
