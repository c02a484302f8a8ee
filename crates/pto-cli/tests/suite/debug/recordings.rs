//! Recordings and runs that fail, in scripts.

use std::path::Path;
use std::process::Output;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn pto(args: &[&str]) -> Output {
    pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto")).args(args).current_dir(ROOT).output().expect("pto starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn traced(dir: &Path) -> String {
    let file = dir.join("run.ptotrace").display().to_string();
    let made = pto(&["trace", super::SOFTMAX, "-o", &file]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    file
}

/// A recording from a file shows what the run itself shows.
#[test]
fn a_recording_is_as_good_as_a_run() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = traced(dir.path());
    let commands = [
        "--command",
        "until 36:40",
        "--command",
        "print %t[0:3, 0:5]",
        "--command",
        "back",
        "--command",
        "info memory",
    ];
    let shown = |file: &str| {
        let output = pto(&[&["debug", file], &commands[..]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let of_file = shown(&file);
    assert!(of_file.contains("moment 243 of 1536"), "{of_file}");
    assert_eq!(of_file, shown(super::SOFTMAX));
}

#[test]
fn a_cut_recording_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = traced(dir.path());
    let bytes = std::fs::read(&file).expect("it is there");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("it can be written");
    let output = pto(&["debug", &file, "--command", "where"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with(&format!("error: {file}: ")), "{}", text(&output.stderr));
}

/// A program that reads behind the end of its memory in the third iteration.
const FAILS: &str = "
!tile = !pto.tile_buf<vec, 4x8xf32>
func.func @fails(%x: !pto.ptr<f32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %width = arith.constant 8 : index
  %all = arith.constant 12 : index
  %xs = pto.make_tensor_view %x, shape = [%n, %width], strides = [%width, %one] : !pto.tensor_view<?x8xf32>
  %t = pto.alloc_tile : !tile
  scf.for %at = %zero to %all step %four {
    %in = pto.partition_view %xs, offsets = [%at, %zero], sizes = [%four, %width] : !pto.tensor_view<?x8xf32> -> !pto.partition_tensor_view<4x8xf32>
    pto.tload ins(%in : !pto.partition_tensor_view<4x8xf32>) outs(%t : !tile)
  }
  return
}
";

#[test]
fn a_run_that_fails_is_debugged_up_to_there() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("fails.pto");
    std::fs::write(&file, FAILS).expect("it can be written");
    let file = file.display().to_string();
    let commands =
        ["--command", "goto end", "--command", "print %at", "--command", "back", "--command", "print %t[0:1, 0:2]"];
    let output = pto(&[&["debug", &file, "n=8", "x=iota:[8x8]"], &commands[..]].concat());
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{shown}{said}");
    assert!(said.contains("error[PTO-E07"), "{said}");
    assert!(shown.contains("the run failed after 2 instructions: PTO-E07"), "{shown}");
    assert!(shown.contains("> print %at\n%at = 8\n") || shown.contains("%at = 4\n"), "{shown}");
}

#[test]
fn cores_blocks_and_ranks_are_chosen() {
    let flash = pto(&[
        "debug",
        "examples/flash_attention.pto",
        "--blocks",
        "2",
        "--command",
        "core vec1",
        "--command",
        "step 3",
        "--command",
        "block 1",
        "--command",
        "core cub",
    ]);
    let shown = text(&flash.stdout);
    assert!(shown.contains("block 0 vec1: moment ") && shown.contains("block 1 vec1: moment "), "{shown}");
    let error = "error: --command 4: there is no core `cub` in this block; there are cube, vec0, vec1\n";
    assert_eq!(text(&flash.stderr), error);
    assert_eq!(flash.status.code(), Some(2));
}
