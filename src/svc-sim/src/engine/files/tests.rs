// Files of every layout and packing have their ledgers, and files that are cut, claim too much or
// are anything else end with a problem, in memory in proportion to what they hold.

use super::{Files, Seen, Unread};
use crate::{counted_memory::peak_bytes, engine::hostile::made_ledgers, random::Random};
use std::{io::Write, path::PathBuf};

/// A file that is removed with the value.
struct Made(PathBuf);

impl Made {
    fn new(bytes: &[u8]) -> Made {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("svc-sim-files-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        Made(path)
    }

    fn path(&self) -> String {
        self.0.to_str().unwrap().to_string()
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn framed(ledgers: &[Vec<u8>]) -> Vec<u8> {
    let frame = |ledger: &Vec<u8>| {
        let mark = 0x8000_0000 | ledger.len() as u32;
        [&mark.to_be_bytes()[..], ledger].concat()
    };
    ledgers.iter().flat_map(frame).collect()
}

fn batch(first: u32, last: u32, ledgers: &[Vec<u8>]) -> Vec<u8> {
    let head = [first, last, ledgers.len() as u32].map(u32::to_be_bytes).concat();
    [head, ledgers.concat()].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    use ruzstd::encoding::{compress_to_vec, CompressionLevel};
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// The ledgers of one file, and the problem with which it ends.
fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, Option<Unread>) {
    let made = Made::new(bytes);
    let mut ledgers = vec![];
    for each in Files::new(&[made.path()], 0) {
        match each {
            Ok(ledger) => ledgers.push(ledger.bytes),
            Err(unread) => return (ledgers, Some(unread)),
        }
    }
    (ledgers, None)
}

#[test]
fn every_layout_and_packing_has_its_ledgers() {
    let ledgers = made_ledgers();
    let one = &ledgers[..1];
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    for (bytes, expected) in
        [(framed(&ledgers), &ledgers[..]), (batch(100, 100, one), one), (ledgers[0].clone(), one)]
    {
        let (front, back) = bytes.split_at(bytes.len() / 2);
        for packed in [
            bytes.clone(),
            gzip(&bytes),
            zstd(&bytes),
            [gzip(front), gzip(back)].concat(),
            [skippable.clone(), zstd(front), skippable.clone(), zstd(back)].concat(),
        ] {
            let (found, problem) = read(&packed);
            assert_eq!(problem, None);
            assert!(found == expected);
        }
    }
}

#[test]
fn a_file_that_is_cut_or_goes_on_ends_with_a_problem() {
    let ledgers = made_ledgers();
    let (whole, one) = (framed(&ledgers), &ledgers[..1]);
    for bytes in [
        vec![],
        b"too short".to_vec(),
        whole[..whole.len() - 1].to_vec(),
        whole[..ledgers[0].len() + 7].to_vec(),
        gzip(&whole)[..40].to_vec(),
        zstd(&whole)[..40].to_vec(),
        [&zstd(&whole)[..], b"(RFC)"].concat(),
        [batch(100, 100, one), vec![0]].concat(),
        batch(100, 101, one),
        batch(101, 101, one),
        [ledgers[0].clone(), vec![0]].concat(),
        [0x9000_0001_u32.to_be_bytes().to_vec(), vec![0; 20]].concat(),
        vec![1; 64],
    ] {
        let (found, problem) = read(&bytes);
        assert!(problem.is_some(), "{} bytes: {} ledgers", bytes.len(), found.len());
    }
}

#[test]
fn the_checksum_of_a_frame_is_compared() {
    let mut packed = zstd(&framed(&made_ledgers()));
    assert_eq!(packed[4] & 4, 4, "the frame has a checksum");
    *packed.last_mut().unwrap() ^= 1;
    let (_, problem) = read(&packed);
    assert!(problem.unwrap().problem.contains("checksum"));
}

#[test]
fn claims_of_a_size_take_no_memory() {
    let claims = [
        (0x8000_0000_u32 | 0x0fff_fff0).to_be_bytes().to_vec(),
        // A frame with a window of 2^41 bytes, and one of a single segment of as many.
        vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8],
        vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 2, 0, 0],
    ];
    for claim in claims {
        let made = Made::new(&[claim, vec![0; 64]].concat());
        let peak = peak_bytes(|| assert!(Files::new(&[made.path()], 0).all(|each| each.is_err())));
        assert!(peak < 2 << 20, "{peak} bytes");
    }
}

#[test]
fn readers_survive_mutated_files() {
    let whole = framed(&made_ledgers());
    let mut random = Random(7);
    for sample in [whole.clone(), gzip(&whole), zstd(&whole)] {
        for _ in 0..200 {
            let _ = read(&random.mutated(&sample));
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_does_not_keep_the_next_from_being_read() {
    let ledgers = made_ledgers();
    let (broken, whole) = (Made::new(b"nothing of the kind"), Made::new(&framed(&ledgers)));
    let absent = broken.path() + "-absent";
    let all: Vec<_> = Files::new(&[broken.path(), absent, whole.path()], 0).collect();
    assert_eq!(all.len(), 2 + ledgers.len());
    assert!(all[..2].iter().all(Result::is_err) && all[2..].iter().all(Result::is_ok));
    assert_eq!(Files::new(&[whole.path()], 101).count(), 0);
}

#[test]
fn a_ledger_that_comes_again_is_known_for_a_checkpoint_and_longer() {
    let mut seen = Seen::default();
    assert!(seen.is_new(1, [1; 32]) && !seen.is_new(1, [1; 32]) && seen.is_new(1, [2; 32]));
    for sequence in 2..=7_000 {
        assert!(seen.is_new(sequence, [1; 32]));
    }
    assert!(!seen.is_new(6_900, [1; 32]));
    assert!(seen.is_new(1, [2; 32]));
}
