//! Recordings in files: what was saved comes back, and what is no recording is an error with a name.

use pto_cpu::Arg;
use pto_isa::Target;
use pto_trace::{Player, RecordOptions, RecordedSource, Recording, record};

const TEXT: &str = "func.func @f(%x: !pto.tensor_view<32x16xf32>) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %sixteen = arith.constant 16 : index
  %end = arith.constant 32 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x16xf32>
  scf.for %row = %zero to %end step %eight {
    %v = pto.partition_view %x, offsets = [%row, %zero], sizes = [%eight, %sixteen] : !pto.tensor_view<32x16xf32> -> !pto.partition_tensor_view<8x16xf32>
    pto.tload ins(%v : !pto.partition_tensor_view<8x16xf32>) outs(%t : !pto.tile_buf<vec, 8x16xf32>)
    pto.tadd ins(%t, %t : !pto.tile_buf<vec, 8x16xf32>, !pto.tile_buf<vec, 8x16xf32>) outs(%t : !pto.tile_buf<vec, 8x16xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 8x16xf32>) outs(%v : !pto.partition_tensor_view<8x16xf32>)
  }
  return
}";

fn recording(options: RecordOptions) -> Recording {
    let mut x: Vec<f32> = (0..512).map(|n| n as f32).collect();
    let source = RecordedSource::new("f.pto", TEXT, Target::A5);
    let (ran, recording) = record(source, options, 1, 1, &mut [Arg::write(&mut x).shape(&[32, 16])]).expect("legal");
    ran.expect("it runs");
    recording
}

fn saved(recording: &Recording) -> Vec<u8> {
    let mut bytes = Vec::new();
    recording.save(&mut bytes, &mut |_, _| {}).expect("memory is there");
    bytes
}

/// The first element of the tile after each moment.
fn firsts(recording: &Recording) -> Vec<Option<f64>> {
    let (mut player, t) = (Player::new(recording), recording.find("t").expect("a tile"));
    let core = recording.cores()[0];
    // From the last to the first: going back is what a recording is for.
    let mut numbers: Vec<_> =
        (0..recording.len()).rev().map(|at| player.value(core, t, Some(at)).map(|t| t.number(0, 0))).collect();
    numbers.reverse();
    numbers
}

#[test]
fn what_was_saved_comes_back() {
    let first = recording(RecordOptions::default());
    let again = Recording::load(&saved(&first)).expect("what was saved");
    let expected: Vec<Option<f64>> =
        (0..4).flat_map(|k| [128.0 * f64::from(k), 256.0 * f64::from(k), 256.0 * f64::from(k)]).map(Some).collect();
    assert_eq!(firsts(&first), expected);
    assert_eq!(firsts(&again), expected);
    assert_eq!(again.moment(4).iterations, [1]);
    assert_eq!(again.moment(4).line, 10);
    assert_eq!(again.source(), first.source());
    assert_eq!(saved(&again), saved(&first));
}

#[test]
fn some_values_and_lines_are_recorded_alone() {
    let only = recording(RecordOptions::default().only(["t"]));
    assert_eq!(only.len(), 12);
    assert_eq!(firsts(&Recording::load(&saved(&only)).expect("saved"))[3], Some(128.0));
    let lines = recording(RecordOptions::default().lines(10..=10));
    assert_eq!(lines.len(), 4);
    assert_eq!(firsts(&lines), [0.0, 256.0, 512.0, 768.0].map(Some));
    assert_eq!(lines.left_out().as_deref(), Some("8 instructions were left out that were not asked for"));
    let short = recording(RecordOptions::default().limit(1));
    assert!(short.left_out().is_some_and(|text| text.contains("more were executed")), "{:?}", short.left_out());
}

#[test]
fn what_is_no_recording_is_an_error() {
    let code = |bytes: &[u8]| Recording::load(bytes).map(drop).map_err(|e| e.diagnostics()[0].code.id());
    let bytes = saved(&recording(RecordOptions::default()));
    assert_eq!(code(&bytes), Ok(()));
    for wrong in [&b""[..], b"PTO", b"PTOTRACE", b"PTOTRACE\x01\0\0\0", b"not a recording at all"] {
        assert_eq!(code(wrong), Err("PTO-E0716".to_string()));
    }
    let mut other = bytes.clone();
    other[8] = 9;
    assert_eq!(code(&other), Err("PTO-E0717".to_string()));
    // Cut anywhere, or changed anywhere.
    for at in (0..bytes.len()).step_by(bytes.len() / 61 + 1) {
        assert!(code(&bytes[..at]).is_err(), "cut at {at}");
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        assert!(code(&changed).is_err(), "changed at {at}");
    }
}

#[test]
fn a_wrong_name_gets_a_better_one() {
    let error = recording(RecordOptions::default()).find("%rwo").expect_err("no such value");
    let problem = &error.diagnostics()[0];
    assert_eq!(problem.code.id(), "PTO-E0718");
    assert!(problem.help.as_ref().is_some_and(|help| help.starts_with("did you mean %row")), "{problem:?}");
}
