//! Tiles, views, flags, numbers.

use super::ShapeKind::{Legal, Runs};
use super::{ADD, END, HEAD, LOAD, STORE, Shape, around, small, without_tiles};

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "instructions in a row", text: straight, kind: Runs },
    Shape { name: "tiles one after the other", text: tiles, kind: Runs },
    Shape { name: "tiles all at once", text: crowd, kind: Legal },
    Shape { name: "tiles with addresses", text: placed, kind: Runs },
    Shape { name: "tiles that move", text: moved, kind: Runs },
    Shape { name: "tile values", text: values, kind: Runs },
    Shape { name: "flags", text: flags, kind: Runs },
    Shape { name: "flags with computed numbers", text: computed_flags, kind: Runs },
    Shape { name: "flags that nobody waits for", text: open_flags, kind: Legal },
    Shape { name: "barriers", text: barriers, kind: Runs },
    Shape { name: "views of views", text: views, kind: Runs },
    Shape { name: "windows", text: windows, kind: Runs },
    Shape { name: "parts of tiles", text: subviews, kind: Runs },
    Shape { name: "pointers of pointers", text: pointers, kind: Runs },
    Shape { name: "tiles in turn", text: alternating, kind: Runs },
    Shape { name: "a chain of sums", text: sums, kind: Runs },
    Shape { name: "constants", text: constants, kind: Runs },
    Shape { name: "scalars in memory", text: scalars, kind: Runs },
    Shape { name: "carried values", text: carried, kind: Runs },
    Shape { name: "carried tiles", text: carried_tiles, kind: Runs },
    Shape { name: "tiles from branch to branch", text: chosen_tiles, kind: Runs },
    Shape { name: "tiles from branch to branch, used", text: chosen_and_used, kind: Runs },
    Shape { name: "selected tiles", text: selected, kind: Runs },
    Shape { name: "carried tile values", text: carried_values, kind: Runs },
    Shape { name: "small carried tile values", text: small_carried_values, kind: Runs },
    Shape { name: "tiles at a computed address", text: anywhere, kind: Legal },
    Shape { name: "many parameters", text: parameters, kind: Runs },
    Shape { name: "many pointers", text: many_pointers, kind: Runs },
    Shape { name: "printing", text: printing, kind: Runs },
];

fn straight(lines: usize) -> String {
    around(lines / 3, |_| format!("{LOAD}{ADD}{STORE}"))
}

fn tiles(lines: usize) -> String {
    around(lines / 4, |k| {
        format!(
            "  %t{k} = pto.alloc_tile : !t\n  pto.tload ins(%xs : !v) outs(%t{k} : !t)
  pto.tadd ins(%t{k}, %t : !t, !t) outs(%t{k} : !t)\n  pto.tstore ins(%t{k} : !t) outs(%ys : !v)\n"
        )
    })
}

/// Tiles that are all needed at the end, far more than there is room for.
fn crowd(lines: usize) -> String {
    let count = lines / 3;
    let tile = |k| format!("  %t{k} = pto.alloc_tile : !t\n  pto.tload ins(%xs : !v) outs(%t{k} : !t)\n");
    let filled: String = (0..count).map(tile).collect();
    let used: String = (0..count).map(|k| format!("  pto.tstore ins(%t{k} : !t) outs(%ys : !v)\n")).collect();
    format!("{HEAD}{filled}{used}{END}")
}

fn placed(lines: usize) -> String {
    let piece = |k: usize| {
        format!(
            "  %a{k} = arith.constant {} : i64\n  %t{k} = pto.alloc_tile addr = %a{k} : !t
  pto.tload ins(%xs : !v) outs(%t{k} : !t)\n  pto.tadd ins(%t{k}, %t{k} : !t, !t) outs(%t{k} : !t)
  pto.tstore ins(%t{k} : !t) outs(%ys : !v)\n",
            k % 40 * 2048
        )
    };
    without_tiles() + &(0..lines / 5).map(piece).collect::<String>() + END
}

/// Tiles that are given another address while the program runs.
fn moved(lines: usize) -> String {
    around(lines / 4, |k| {
        format!(
            "  %t{k} = pto.alloc_tile : !t\n  pto.tassign %t{k}, @tile(0x{:x})
  pto.tload ins(%xs : !v) outs(%t{k} : !t)\n  pto.tstore ins(%t{k} : !t) outs(%ys : !v)\n",
            k % 40 * 4096
        )
    })
}

fn values(lines: usize) -> String {
    let mut before = "%t".to_string();
    around(lines, |k| {
        let text = format!("  %t{k} = pto.tadd {before}, %u : (!t, !t) -> !t\n");
        before = format!("%t{k}");
        text
    })
}

fn flags(lines: usize) -> String {
    around(lines / 7, |k| {
        let id = k % 8;
        format!(
            "{LOAD}  pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID{id}>]
  pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID{id}>]\n{ADD}  pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID{id}>]
  pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID{id}>]\n  pto.barrier <PIPE_ALL>\n"
        )
    })
}

fn computed_flags(lines: usize) -> String {
    around(lines / 5, |k| {
        format!(
            "  %e{k} = arith.constant {} : index\n{LOAD}  pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %e{k}]
  pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %e{k}]\n  pto.barrier <PIPE_ALL>\n",
            k % 8
        )
    })
}

fn open_flags(lines: usize) -> String {
    around(lines, |k| format!("  pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID{}>]\n", k % 8))
}

fn barriers(lines: usize) -> String {
    around(lines / 2, |_| format!("{ADD}  pto.barrier <PIPE_V>\n"))
}

fn views(lines: usize) -> String {
    let mut before = ("%xs".to_string(), "!v");
    around(lines, |k| {
        let text = format!(
            "  %w{k} = pto.partition_view {}, offsets = [%c0, %c0], sizes = [%c16, %c64] : {} -> !pto.partition_tensor_view<16x64xf32>\n",
            before.0, before.1
        );
        before = (format!("%w{k}"), "!pto.partition_tensor_view<16x64xf32>");
        text
    })
}

fn windows(lines: usize) -> String {
    around(lines / 3, |k| {
        format!(
            "  %w{k} = pto.partition_view %xs, offsets = [%c0, %c0], sizes = [%c16, %c64] : !v -> !pto.partition_tensor_view<16x64xf32>
  pto.tload ins(%w{k} : !pto.partition_tensor_view<16x64xf32>) outs(%t : !t)\n{STORE}"
        )
    })
}

/// Each part is a part of the one before.
fn subviews(lines: usize) -> String {
    let mut before = "%t".to_string();
    around(lines, |k| {
        let text = format!("  %s{k} = pto.subview {before}[%c0, %c0] sizes [16, 64] : !t -> !t\n");
        before = format!("%s{k}");
        text
    })
}

fn pointers(lines: usize) -> String {
    let mut before = "%x".to_string();
    around(lines, |k| {
        let text = format!("  %p{k} = pto.addptr {before}, %c0 : !pto.ptr<f32> -> !pto.ptr<f32>\n");
        before = format!("%p{k}");
        text
    })
}

/// Two tiles that a loop uses alternately.
fn alternating(lines: usize) -> String {
    const PAIR: &str = "!pto.multi_tile_buf<vec, 16x64xf32, count=2>";
    let piece = |k| {
        format!(
            "    %w{k} = arith.remui %i, %c2 : index\n    %m{k} = pto.multi_tile_get %m[%w{k}] : {PAIR} -> !t
    pto.tload ins(%xs : !v) outs(%m{k} : !t)\n    pto.tstore ins(%m{k} : !t) outs(%ys : !v)\n"
        )
    };
    let body: String = (0..lines / 4).map(piece).collect();
    format!("{HEAD}  %m = pto.alloc_multi_tile : {PAIR}\n  scf.for %i = %c0 to %c2 step %c1 {{\n{body}  }}\n{END}")
}

fn sums(lines: usize) -> String {
    let mut before = "%c0".to_string();
    around(lines, |k| {
        let text = format!("  %s{k} = arith.addi {before}, %c1 : index\n");
        before = format!("%s{k}");
        text
    })
}

fn constants(lines: usize) -> String {
    around(lines, |k| format!("  %n{k} = arith.constant {k} : index\n"))
}

fn scalars(lines: usize) -> String {
    around(lines / 2, |k| {
        format!(
            "  %s{k} = pto.load_scalar %x[%c1] : !pto.ptr<f32> -> f32\n  pto.store_scalar %s{k}, %y[%c2] : !pto.ptr<f32>, f32\n"
        )
    })
}

/// A loop that carries as many values as the program has lines, one per line.
fn carried(lines: usize) -> String {
    let list = |each: &dyn Fn(usize) -> String| (0..lines / 4).map(each).collect::<Vec<_>>().join(",\n");
    format!(
        "{HEAD}  %r:{} = scf.for %i = %c0 to %c2 step %c1 iter_args({}) -> ({}) {{\n    scf.yield {} : {}\n  }}\n{END}",
        lines / 4,
        list(&|k| format!("%a{k} = %c0")),
        list(&|_| "index".to_string()),
        list(&|k| format!("%a{k}")),
        list(&|_| "index".to_string()),
    )
}

/// A tile goes from loop to loop.
fn carried_tiles(lines: usize) -> String {
    let mut before = "%t".to_string();
    around(lines / 4, |k| {
        let text = format!(
            "  %r{k} = scf.for %i{k} = %c0 to %c2 step %c1 iter_args(%a{k} = {before}) -> (!t) {{
    pto.tadd ins(%a{k}, %u : !t, !t) outs(%a{k} : !t)\n    scf.yield %a{k} : !t\n  }}\n"
        );
        before = format!("%r{k}");
        text
    })
}

/// Each branch yields the tile of the previous one, or a new one. The tiles are small, so that many fit.
fn choices(lines: usize, each: &str) -> String {
    let mut before = "%t".to_string();
    let text = around(lines / 7, |k| {
        let text = format!(
            "  %u{k} = pto.alloc_tile : !t
  %r{k} = scf.if %c -> (!t) {{\n    scf.yield {before} : !t\n  }} else {{\n    scf.yield %u{k} : !t\n  }}\n{}",
            each.replace("%r", &format!("%r{k}"))
        );
        before = format!("%r{k}");
        text
    });
    let text = small(&text);
    let last = format!("  pto.tadd ins({before}, %u : !t, !t) outs({before} : !t)\n{END}");
    text.strip_suffix(END).unwrap_or(&text).to_string() + &last
}

fn chosen_tiles(lines: usize) -> String {
    choices(lines, "")
}

fn chosen_and_used(lines: usize) -> String {
    choices(lines, "  pto.tadd ins(%r, %u : !t, !t) outs(%r : !t)\n")
}

fn selected(lines: usize) -> String {
    let mut before = "%t".to_string();
    around(lines / 2, |k| {
        let text = format!("  %u{k} = pto.alloc_tile : !t\n  %r{k} = arith.select %c, {before}, %u{k} : !t\n");
        before = format!("%r{k}");
        text
    })
}

/// A tile value goes from loop to loop.
fn carried_values(lines: usize) -> String {
    let mut before = "%t".to_string();
    around(lines / 4, |k| {
        let text = format!(
            "  %r{k} = scf.for %i{k} = %c0 to %c2 step %c1 iter_args(%a{k} = {before}) -> (!t) {{
    %v{k} = pto.tadd %a{k}, %u : (!t, !t) -> !t\n    scf.yield %v{k} : !t\n  }}\n"
        );
        before = format!("%r{k}");
        text
    })
}

fn small_carried_values(lines: usize) -> String {
    small(&carried_values(lines))
}

/// A tile that may be anywhere meets as many others.
fn anywhere(lines: usize) -> String {
    let piece = |k| {
        format!(
            "  %b{k} = pto.alloc_tile : !t\n  pto.tload ins(%xs : !v) outs(%b{k} : !t)
  pto.tadd ins(%t, %b{k} : !t, !t) outs(%t : !t)\n"
        )
    };
    let pieces: String = (0..lines / 3).map(piece).collect();
    format!("{HEAD}  pto.tassign %t, %block : !t, i64\n{pieces}{END}")
}

fn parameters(lines: usize) -> String {
    let count = lines / 3;
    let list = |each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<Vec<_>>().join(",\n");
    let call =
        format!("  func.call @f({}) : ({}) -> ()\n", list(&|_| "%c1".to_string()), list(&|_| "index".to_string()));
    let function = format!("func.func private @f({}) {{\n  return\n}}\n", list(&|k| format!("%a{k}: index")));
    around(1, |_| call.clone()) + &function
}

/// As many pieces of global memory, each stored to once.
fn many_pointers(lines: usize) -> String {
    let count = lines / 3;
    let params: Vec<String> = (0..count).map(|k| format!("%p{k}: !pto.ptr<f32>")).collect();
    let head = HEAD.replace("<f32>) attributes", &format!("<f32>,\n{}) attributes", params.join(",\n")));
    let piece = |k| {
        format!(
            "  %v{k} = pto.make_tensor_view %p{k}, shape = [%c16, %c64], strides = [%c64, %c1] : !v
  pto.tstore ins(%t : !t) outs(%v{k} : !v)\n"
        )
    };
    head + &(0..count).map(piece).collect::<String>() + END
}

fn printing(lines: usize) -> String {
    around(lines / 2, |_| format!("{LOAD}  pto.tprint ins(%t : !t)\n"))
}
