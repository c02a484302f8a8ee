//! Programs become bytes and programs again; bytes that are no program are an error.

use pto_bytecode::{Options, decode, encode, is_bytecode};
use pto_ir::{Form, Module, Style, print};
use pto_isa::codes;

const GENERIC: Options = Options { generic: true, names: true };

fn parse(text: &str) -> Module {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}: {text}", problems[0].message);
    module
}

fn text(module: &Module) -> String {
    print(module, Style { form: Some(Form::Generic), ..Style::default() })
}

/// A program of every kind of thing the container has a form for.
const PROGRAM: &str = r#"module attributes {pto.target_arch = "a5"} {
  func.func @kernel(%p: !pto.ptr<f32>, %n: index, %x: f16) attributes {pto.entry} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %size = arith.constant 16 : index
    %scale = arith.constant 1.25 : f32
    %small = arith.constant -0.1 : f16
    %flag = arith.constant true
    %wide = arith.constant -9223372036854775808 : i64
    %view = pto.make_tensor_view %p, shape = [%size, %size], strides = [%size, %one] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %part = pto.partition_view %view, offsets = [%zero, %zero], sizes = [%size, %size] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x16xf32>
    %tile = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    %open = pto.alloc_tile valid_row = %n valid_col = %n : !pto.tile_buf<vec, 16x16xf32, valid=?x?>
    pto.tload ins(%part : !pto.partition_tensor_view<16x16xf32>) outs(%tile : !pto.tile_buf<vec, 16x16xf32>)
    pto.record_event [#pto.sync_op_type<TLOAD>, #pto.sync_op_type<TVEC>, #pto.event<EVENT_ID0>]
    pto.wait_event [#pto.sync_op_type<TLOAD>, #pto.sync_op_type<TVEC>, #pto.event<EVENT_ID0>]
    scf.for %i = %zero to %n step %one {
      %less = arith.cmpi slt, %i, %n : index
      scf.if %less {
        pto.tmuls ins(%tile, %scale : !pto.tile_buf<vec, 16x16xf32>, f32) outs(%tile : !pto.tile_buf<vec, 16x16xf32>)
      }
      scf.if %flag {
        pto.texp ins(%tile : !pto.tile_buf<vec, 16x16xf32>) outs(%tile : !pto.tile_buf<vec, 16x16xf32>)
      } else {
        pto.tabs ins(%tile : !pto.tile_buf<vec, 16x16xf32>) outs(%tile : !pto.tile_buf<vec, 16x16xf32>)
      }
    }
    return
  }
  func.func @mixed(%a: !pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>, %b: !pto.tile_buf<right, 16x16xf16, slayout=col_major>, %c: !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) {
    pto.section.cube {
      pto.tmatmul ins(%a, %b : !pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>, !pto.tile_buf<right, 16x16xf16, slayout=col_major>) outs(%c : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>)
      pto.tmatmul.acc ins(%c, %a, %b : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>, !pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>, !pto.tile_buf<right, 16x16xf16, slayout=col_major>) outs(%c : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>)
    }
    return
  }
}
"#;

/// Loops that carry values, addresses, unsigned comparisons: only by name.
const BY_NAME: &str = "module {
  func.func @f(%n: index) -> index {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %at = arith.constant 1024 : i64
    %tile = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 16x16xf32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (index) {
      %t = arith.addi %s, %i : index
      scf.yield %t : index
    }
    %less = arith.cmpi ult, %sum, %n : index
    %both:2 = scf.if %less -> (index, index) {
      scf.yield %sum, %n : index, index
    } else {
      scf.yield %n, %sum : index, index
    }
    pto.set_flag [<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    pto.wait_flag [<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    return %sum : index
  }
}
";

#[test]
fn programs_read_back() {
    for (source, options) in [(PROGRAM, Options::default()), (PROGRAM, GENERIC), (BY_NAME, GENERIC)] {
        let module = parse(source);
        let bytes = encode(&module, options).expect("the container holds it");
        assert!(is_bytecode(&bytes));
        assert_eq!(bytes, encode(&module, options).expect("again"), "the same bytes");
        let again = parse(&decode(&bytes).expect("whole bytes"));
        // Numbers may be written differently; one more round trip shows that nothing else changed.
        let second = encode(&again, options).expect("the container holds it still");
        assert_eq!(bytes, second);
        let third = parse(&decode(&second).expect("whole bytes"));
        assert!(pto_ir::same(&again, &third));
        assert_eq!(text(&again), text(&third));
    }
}

#[test]
fn names_of_values_are_kept_or_not() {
    let module = parse(PROGRAM);
    let with = decode(&encode(&module, Options::default()).expect("held")).expect("read");
    assert!(with.contains("%scale"));
    let options = Options { names: false, ..Options::default() };
    let without = encode(&module, options).expect("held");
    let text = decode(&without).expect("read");
    assert!(!text.contains("%scale") && text.contains("%0"));
    parse(&text);
}

#[test]
fn what_cannot_be_held_is_named() {
    let found = |source: &str, options: Options| -> Vec<String> {
        let problems = encode(&parse(source), options).expect_err("it cannot be held");
        assert!(problems.diagnostics().iter().all(|d| d.code == codes::BYTECODE_HOLD));
        problems.into_diagnostics().into_iter().map(|d| d.message).collect()
    };
    let messages = found(BY_NAME, Options { generic: false, names: true });
    for what in [
        "a tile with an address",
        "4 operands",
        "an unsigned comparison",
        "2 results",
        "without a number: `pto.set_flag`",
        "1 operands",
    ] {
        assert!(messages.iter().any(|m| m.contains(what)), "{what}: {messages:?}");
    }
    let jump = "func.func @f() {\n  cf.br ^end\n^end:\n  return\n}\n";
    assert!(found(jump, GENERIC)[0].contains("a jump to a block"));
    let beside = "module {\n}\nfunc.func @f() {\n  return\n}\n";
    assert!(found(beside, GENERIC)[0].contains("beside a module"));
    let nested = "module {\n  module {\n  }\n}\n";
    assert!(found(nested, GENERIC)[0].contains("outside of functions"));
}

/// Cut, changed and made-up bytes: an error or a text, never a panic, and never too much text.
#[test]
fn broken_bytes_are_errors() {
    let whole = encode(&parse(PROGRAM), Options::default()).expect("held");
    for length in 0..whole.len() {
        assert!(decode(&whole[..length]).is_err(), "{length} bytes");
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert!(decode(&longer).is_err());
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as usize % below.max(1)
    };
    let rounds = std::env::var("FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let mut read = 0;
    for _ in 0..rounds {
        let mut bytes = whole.clone();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes[at] ^= 1 << random(8),
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, random(256) as u8),
            }
        }
        if let Ok(text) = decode(&bytes) {
            read += 1;
            assert!(text.len() <= pto_bytecode::MAX_TEXT + whole.len() * 4);
            pto_syntax::parse(&text);
        }
    }
    assert!(read > 0, "some changes leave a program");
}

/// A few bytes that name a long type many times do not fill the memory.
#[test]
fn text_has_a_limit() {
    let long = format!("!pto.tile_buf<vec, 16x{}xf32>", "6".repeat(60_000));
    let mut module = vec![0, 64, 0, 0, 1, 0, 1, 0, 0, 1];
    let args = 4000u32;
    module.extend([(args & 0x7f) as u8 | 0x80, (args >> 7) as u8]);
    module.extend(vec![1; args as usize]);
    module.push(0);
    let leb = |n: usize| vec![(n & 0x7f) as u8 | 0x80, (n >> 7 & 0x7f) as u8 | 0x80, (n >> 14) as u8];
    let mut strings = vec![1];
    strings.extend(leb(long.len()));
    strings.extend(long.as_bytes());
    let mut payload = Vec::new();
    for (number, content) in [(1u8, strings), (2, vec![1, 0, 1, 0]), (3, vec![0]), (4, vec![0]), (6, module)] {
        payload.push(number);
        payload.extend((content.len() as u32).to_le_bytes());
        payload.extend(content);
    }
    let mut file = b"PTOBC\0\0\0\0\0".to_vec();
    file.extend((payload.len() as u32).to_le_bytes());
    file.extend(payload);
    let problem = decode(&file).expect_err("too much text");
    assert!(
        problem.diagnostics()[0].code == codes::BYTECODE && problem.diagnostics()[0].message.contains("bytes of text"),
        "{}",
        problem.diagnostics()[0].message
    );
}
