// Opens a ledger file: plain, or packed with zstd or gzip. The first bytes show which, never the
// name.
//
// Invariant: memory is bounded by a frame's window, whatever the file claims of its size.

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{
    errors::{FrameDecoderError, ReadFrameHeaderError},
    BlockDecodingStrategy, FrameDecoder,
};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Error, Read},
    path::Path,
};

const BUFFER_BYTES: usize = 256 * 1024;
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The first word of a zstd frame, and of a skippable frame without its last four bits (RFC 8878,
/// 3.1).
const ZSTD: u32 = 0xfd2f_b528;
const SKIPPABLE: u32 = 0x0184_d2a5;
/// The largest window that zstd's own library accepts without being asked to.
const MOST_WINDOW_BYTES: u64 = 1 << 27;

type Source = BufReader<File>;

/// # Errors
///
/// Fails if the file cannot be opened or its first bytes cannot be read.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let mut source = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
    let head = source.fill_buf()?;
    let word =
        head.get(..4).map_or(0, |word| u32::from_le_bytes(word.try_into().expect("4 bytes")));
    Ok(if head.starts_with(&GZIP) {
        Box::new(MultiGzDecoder::new(source))
    } else if word == ZSTD || word >> 4 == SKIPPABLE {
        Box::new(Zstd::new(source))
    } else {
        Box::new(source)
    })
}

/// Any number of zstd frames. Their checksums are compared. After an error it is not read again.
struct Zstd {
    source: Source,
    decoder: FrameDecoder,
    is_within_frame: bool,
}

impl Zstd {
    fn new(source: Source) -> Zstd {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MOST_WINDOW_BYTES);
        Zstd { source, decoder, is_within_frame: false }
    }

    /// Begins the next frame, or skips it.
    fn begin(&mut self) -> io::Result<()> {
        use {FrameDecoderError as D, ReadFrameHeaderError as H};
        match self.decoder.init(&mut self.source) {
            Ok(()) => {
                self.is_within_frame = true;
                Ok(())
            }
            Err(D::ReadFrameHeaderError(H::SkipFrame { length, .. })) => {
                let mut rest = self.source.by_ref().take(length.into());
                match io::copy(&mut rest, &mut io::sink())? == u64::from(length) {
                    true => Ok(()),
                    false => Err(io::ErrorKind::UnexpectedEof.into()),
                }
            }
            Err(error) => Err(Error::other(error)),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.is_within_frame = false;
        let named = self.decoder.get_checksum_from_data();
        match named.is_none() || named == self.decoder.get_calculated_checksum() {
            true => Ok(()),
            false => Err(Error::other("the checksum of a frame is wrong")),
        }
    }
}

impl Read for Zstd {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !into.is_empty() {
            let is_frame_read = self.decoder.is_finished() && self.decoder.can_collect() == 0;
            if !self.is_within_frame {
                if self.source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.begin()?;
            } else if is_frame_read {
                self.end()?;
            } else if self.decoder.can_collect() > 0 {
                return self.decoder.read(into);
            } else {
                let some = BlockDecodingStrategy::UptoBytes(into.len());
                self.decoder.decode_blocks(&mut self.source, some).map_err(Error::other)?;
            }
        }
        Ok(0)
    }
}
