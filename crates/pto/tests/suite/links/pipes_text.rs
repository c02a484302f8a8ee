//! Programs with pipes as text.

use super::pipes::{Action, Pipe, Program, TILE, What};
use pto::Target;
use std::fmt::Write;

const TYPES: &str = "!m = !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>
!r = !pto.tile_buf<right, 16x16xf32, slayout=col_major>
!a = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!view = !pto.tensor_view<?x?xf32>
!w = !pto.partition_tensor_view<?x?xf32>
!entry = !pto.tensor_view<16x16xf32>
";

pub fn text(program: &Program) -> String {
    let left = match program.target {
        Target::A5 => "blayout=col_major, slayout=row_major",
        _ => "slayout=row_major",
    };
    let mut out = format!("{TYPES}!l = !pto.tile_buf<left, 16x16xf32, {left}>\nmodule {{\n");
    let pointers = "!pto.ptr<f32>, !pto.ptr<f32>, !pto.ptr<f32>, !pto.ptr<f32>";
    let params = "%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %eye: !pto.ptr<f32>, %gm: !pto.ptr<f32>";
    let calls = ["cube", "vector"].map(|f| format!("    func.call @{f}(%x, %y, %eye, %gm) : ({pointers}) -> ()\n"));
    let _ =
        writeln!(out, "  func.func @main({params}) attributes {{pto.entry}} {{\n{}    return\n  }}", calls.concat());
    for (name, actions) in [("cube", &program.cube), ("vector", &program.vector)] {
        let _ = writeln!(
            out,
            "  func.func private @{name}({params}) attributes {{pto.kernel_kind = #pto.kernel_kind<{name}>}} {{\n{}",
            prologue(program, name == "cube")
        );
        for (n, action) in actions.iter().enumerate() {
            out += &guarded(action, &statement(program, action.what, name == "cube", n), n);
        }
        out += "    return\n  }\n";
    }
    out + "}\n"
}

fn prologue(program: &Program, on_cube: bool) -> String {
    let mut out = String::from("    %none = arith.constant 0 : i32\n");
    for n in [0, 1, 8, 16] {
        let _ = writeln!(out, "    %c{n} = arith.constant {n} : index");
    }
    let _ = writeln!(out, "    %rows = arith.constant {} : index", 16 * program.tiles);
    for (id, pipe) in program.pipes.iter().enumerate() {
        out += &open(id, pipe, program.target, on_cube);
    }
    for (view, of, rows) in [("xs", "x", "rows"), ("ys", "y", "rows"), ("es", "eye", "c16")] {
        let _ = writeln!(
            out,
            "    %{view} = pto.make_tensor_view %{of}, shape = [%{rows}, %c16], strides = [%c16, %c1] : !view"
        );
    }
    if on_cube {
        out += "    %e = pto.partition_view %es, offsets = [%c0, %c0], sizes = [%c16, %c16] : !view -> !w
    %em = pto.alloc_tile : !m
    %er = pto.alloc_tile : !r
    pto.tload ins(%e : !w) outs(%em : !m)
    pto.tmov ins(%em : !m) outs(%er : !r)\n";
    } else if program.vectors == 2 {
        out += "    %sub64 = pto.get_subblock_idx
    %sub = arith.index_cast %sub64 : i64 to index
    %half = arith.muli %sub, %c8 : index\n";
    }
    out
}

fn open(id: usize, pipe: &Pipe, target: Target, on_cube: bool) -> String {
    if pipe.global {
        return open_global(id, pipe, on_cube);
    }
    let (core, peer, consumer) =
        if on_cube { ("aic", "vector", !pipe.to_vector) } else { ("aiv", "cube", pipe.to_vector) };
    let (space, mask) = if pipe.to_vector { ("vec", 1) } else { ("mat", 2) };
    let ring = match consumer {
        true => format!(
            "pto.reserve_buffer {{name = \"p{id}\", size = {}, location = #pto.address_space<{space}>, auto = true}}",
            1024 * pipe.slots
        ),
        false => format!("pto.import_reserved_buffer {{name = \"p{id}\", peer_func = @{peer}}}"),
    };
    let (c2v, v2c) =
        if pipe.to_vector { (format!("%ring{id}"), "%none".into()) } else { ("%none".into(), format!("%ring{id}")) };
    let gm = if target == Target::A5 { "" } else { "gm_slot_buffer = %gm : !pto.ptr<f32>, " };
    format!(
        "    %ring{id} = {ring} -> i32
    pto.{core}_initialize_pipe {{id = {id}, dir_mask = {mask}, slot_size = 1024, slot_num = {}}} ({gm}c2v_consumer_buf = {c2v} : i32, v2c_consumer_buf = {v2c} : i32)\n",
        pipe.slots
    )
}

/// The slots of every pipe lie behind those of the one before.
fn open_global(id: usize, pipe: &Pipe, on_cube: bool) -> String {
    let core = if on_cube { "aic" } else { "aiv" };
    format!(
        "    %base{id} = arith.constant {} : index
    %slots{id} = pto.addptr %gm, %base{id} : !pto.ptr<f32> -> !pto.ptr<f32>
    %entries{id} = pto.make_tensor_view %slots{id}, shape = [%c16, %c16], strides = [%c16, %c1] : !entry
    pto.{core}_initialize_pipe {{id = {id}, dir_mask = 1, slot_size = 1024, slot_num = {}}} (gm_slot_tensor = %entries{id} : !entry)\n",
        id * 8 * TILE,
        pipe.slots
    )
}

/// A vector core's part of a tile: type, rows, columns, and where it starts.
fn share(split: usize, n: usize) -> (String, &'static str, &'static str, String, &'static str) {
    let (rows, cols) = (if split == 1 { "c8" } else { "c16" }, if split == 2 { "c8" } else { "c16" });
    let ty = format!("!pto.tile_buf<vec, {}x{}xf32>", &rows[1..], &cols[1..]);
    let first = match split {
        1 => format!("    %first{n} = arith.addi %at{n}, %half : index\n"),
        _ => format!("    %first{n} = arith.addi %at{n}, %c0 : index\n"),
    };
    (ty, rows, cols, first, if split == 2 { "half" } else { "c0" })
}

fn statement(program: &Program, what: What, on_cube: bool, n: usize) -> String {
    let place = |at: usize| format!("    %at{n} = arith.constant {} : index\n", 16 * at);
    match what {
        What::Set { id } => format!("    pto.sync.set <{}>, {id}\n", if on_cube { "PIPE_FIX" } else { "PIPE_MTE3" }),
        What::Wait { id } => format!("    pto.sync.wait <{}>, {id}\n", "PIPE_MTE2"),
        What::Free { pipe } => {
            let from = if on_cube { "aiv" } else { "aic" };
            format!("    pto.tfree_from_{from} {{id = {pipe}, split = {}}}\n", program.pipes[pipe].split)
        }
        What::Push { pipe, at } if on_cube => {
            place(at)
                + &format!(
                    "    %w{n} = pto.partition_view %xs, offsets = [%at{n}, %c0], sizes = [%c16, %c16] : !view -> !w
    %m{n} = pto.alloc_tile : !m
    pto.tload ins(%w{n} : !w) outs(%m{n} : !m)
{}{}",
                    product(n),
                    push_sum(program.pipes[pipe], pipe, n)
                )
        }
        What::Pop { pipe, at } if on_cube => {
            place(at)
                + &format!(
                    "    %m{n} = pto.tpop_from_aiv {{id = {pipe}, split = {}}} -> !m
{}    %w{n} = pto.partition_view %ys, offsets = [%at{n}, %c0], sizes = [%c16, %c16] : !view -> !w
    pto.tstore ins(%a{n} : !a) outs(%w{n} : !w)\n",
                    program.pipes[pipe].split,
                    product(n)
                )
        }
        What::Push { pipe, at } => {
            let split = program.pipes[pipe].split;
            let (ty, rows, cols, first, column) = share(split, n);
            format!(
                "{}{first}    %w{n} = pto.partition_view %xs, offsets = [%first{n}, %{column}], sizes = [%{rows}, %{cols}] : !view -> !w
    %t{n} = pto.alloc_tile : {ty}
    pto.tload ins(%w{n} : !w) outs(%t{n} : {ty})
    pto.tpush_to_aic(%t{n} : {ty}) {{id = {pipe}, split = {split}}}\n",
                place(at)
            )
        }
        What::Pop { pipe, at } => {
            let split = program.pipes[pipe].split;
            let (ty, rows, cols, first, column) = share(split, n);
            format!(
                "{}{first}{}    %one{n} = arith.constant 1.0 : f32
    %t{n} = pto.alloc_tile : {ty}
    pto.tadds ins(%p{n}, %one{n} : {ty}, f32) outs(%t{n} : {ty})
    %w{n} = pto.partition_view %ys, offsets = [%first{n}, %{column}], sizes = [%{rows}, %{cols}] : !view -> !w
    pto.tstore ins(%t{n} : {ty}) outs(%w{n} : !w)\n",
                place(at),
                pop(program.pipes[pipe], pipe, &ty, n)
            )
        }
    }
}

fn push_sum(pipe: Pipe, id: usize, n: usize) -> String {
    if pipe.global {
        return format!(
            "    %e{n} = pto.talloc_to_aiv {{id = {id}, split = 0}} -> !entry
    pto.tstore ins(%a{n} : !a) outs(%e{n} : !entry)
    pto.tpush_to_aiv(%e{n} : !entry) {{id = {id}, split = 0}}\n"
        );
    }
    format!("    pto.tpush_to_aiv(%a{n} : !a) {{id = {id}, split = {}}}\n", pipe.split)
}

/// Takes an entry as `%p`.
fn pop(pipe: Pipe, id: usize, ty: &str, n: usize) -> String {
    if pipe.global {
        return format!(
            "    %e{n} = pto.tpop_from_aic {{id = {id}, split = 0}} -> !entry
    %p{n} = pto.alloc_tile : {ty}
    pto.tload ins(%e{n} : !entry) outs(%p{n} : {ty})
    pto.tfree_from_aic(%e{n} : !entry) {{id = {id}, split = 0}}\n"
        );
    }
    format!("    %p{n} = pto.tpop_from_aic {{id = {id}, split = {}}} -> {ty}\n", pipe.split)
}

/// The accumulator that holds what lies in L1: times one.
fn product(n: usize) -> String {
    format!(
        "    %l{n} = pto.alloc_tile : !l
    %a{n} = pto.alloc_tile : !a
    pto.tmov ins(%m{n} : !m) outs(%l{n} : !l)
    pto.tmatmul ins(%l{n}, %er : !l, !r) outs(%a{n} : !a)\n"
    )
}

fn guarded(action: &Action, statement: &str, n: usize) -> String {
    match action.only {
        Some(sub) => format!(
            "    %number{n} = arith.constant {sub} : index
    %mine{n} = arith.cmpi eq, %sub, %number{n} : index
    scf.if %mine{n} {{\n{statement}    }}\n"
        ),
        None => statement.to_string(),
    }
}
