//! Random programs that communicate: what every rank does is ordered by barriers made of signal words, so the result does not depend
//! on the order in which ranks get on.

use pto_testkit::random::Random;
use std::fmt::Write;

/// Elements of `x`, `y` and `z`.
const SIZE: usize = 1024;

/// A program for some ranks, as text.
pub(crate) fn random_program(seed: u64, ranks: usize) -> String {
    let mut program = RankProgram { random: Random(seed), ranks, lines: Vec::new(), constants: 0 };
    let dtype = if program.random.below(2) == 0 { "f32" } else { "i32" };
    for phase in 0..2 + program.random.below(5) {
        program.barrier(phase + 1);
        program.operation(dtype);
    }
    program.text(dtype)
}

struct RankProgram {
    random: Random,
    ranks: usize,
    lines: Vec<String>,
    constants: usize,
}

impl RankProgram {
    fn text(self, dtype: &str) -> String {
        let mut text = String::from("!word = !pto.tensor_view<1xi32>\n\nfunc.func @f(%rank: index");
        for (name, ty) in [("x", dtype), ("y", dtype), ("z", "i32"), ("w", "i32"), ("bell", "i32")] {
            write!(text, ", %{name}: !pto.ptr<{ty}>").expect("a text");
            (0..self.ranks).for_each(|k| write!(text, ", %{name}_at_{k}: !pto.ptr<{ty}>").expect("a text"));
        }
        text += ") attributes {pto.entry} {\n  %one = arith.constant 1 : index\n  %once = arith.constant 1 : i32\n";
        writeln!(text, "  %size = arith.constant {SIZE} : index").expect("a text");
        for (name, ty) in [("x", dtype), ("y", dtype), ("z", "i32"), ("w", "i32")] {
            let view = format!("shape = [%one, %size], strides = [%size, %one] : !pto.tensor_view<1x{SIZE}x{ty}>");
            writeln!(text, "  %{name}v = pto.make_tensor_view %{name}, {view}").expect("a text");
            for k in 0..self.ranks {
                writeln!(text, "  %{name}v{k} = pto.make_tensor_view %{name}_at_{k}, {view}").expect("a text");
            }
        }
        let word = "shape = [%one], strides = [%one] : !word";
        writeln!(text, "  %own_bell = pto.make_tensor_view %bell, {word}").expect("a text");
        (0..self.ranks).for_each(|k| {
            writeln!(text, "  %bell{k} = pto.make_tensor_view %bell_at_{k}, {word}").expect("a text");
        });
        text += &self.lines.join("");
        text + "  return\n}\n"
    }

    fn line(&mut self, line: &str) {
        self.lines.push(format!("  {line}\n"));
    }

    fn constant(&mut self, value: usize, ty: &str) -> String {
        self.constants += 1;
        let name = format!("%c{}", self.constants);
        self.line(&format!("{name} = arith.constant {value} : {ty}"));
        name
    }

    /// Every rank waits until all are here.
    fn barrier(&mut self, number: usize) {
        for k in 0..self.ranks {
            self.line(&format!(
                "pto.comm.tnotify(%bell{k}, %once : !word, i32) {{notifyOp = #pto<notify_op atomic_add>}}"
            ));
        }
        let all = self.constant(number * self.ranks, "i32");
        self.line(&format!("pto.comm.twait(%own_bell, {all} : !word, i32) {{cmp = #pto<wait_cmp ge>}}"));
    }

    /// A window of `width` elements at an offset, which is a value or is chosen.
    fn part(&mut self, view: &str, ty: &str, width: usize, at: Option<&str>) -> (String, String) {
        let chosen = self.random.below((SIZE - width) / 8) * 8;
        let at = at.map_or_else(|| self.constant(chosen, "index"), str::to_string);
        let size = self.constant(width, "index");
        let zero = self.constant(0, "index");
        self.constants += 1;
        let name = format!("%p{}", self.constants);
        let part = format!("!pto.partition_tensor_view<1x{width}x{ty}>");
        self.line(&format!(
            "{name} = pto.partition_view {view}, offsets = [{zero}, {at}], sizes = [%one, {size}] : !pto.tensor_view<1x{SIZE}x{ty}> -> {part}"
        ));
        (name, part)
    }

    fn tile(&mut self, ty: &str, width: usize) -> (String, String) {
        self.constants += 1;
        let (name, tile) = (format!("%t{}", self.constants), format!("!pto.tile_buf<vec, 1x{width}x{ty}>"));
        self.line(&format!("{name} = pto.alloc_tile : {tile}"));
        (name, tile)
    }

    fn operation(&mut self, dtype: &str) {
        let width = 8 * (1 + self.random.below(8));
        // The stage may be smaller than what goes through it.
        let stage_width = if self.random.below(2) == 0 { 8 } else { width };
        let other = self.random.below(self.ranks);
        match self.random.below(8) {
            0 => {
                let width_value = self.constant(width, "index");
                self.constants += 1;
                let at = format!("%at{}", self.constants);
                self.line(&format!("{at} = arith.muli %rank, {width_value} : index"));
                let (src, part) = self.part("%xv", dtype, width, None);
                let (dst, _) = self.part(&format!("%yv{other}"), dtype, width, Some(&at));
                let (stage, tile) = self.tile(dtype, stage_width);
                self.line(&format!("pto.comm.tput({dst}, {src}, buf({stage}) : {part}, {part}, {tile})"));
            }
            1 => {
                let (src, part) = self.part(&format!("%xv{other}"), dtype, width, None);
                let (dst, _) = self.part("%yv", dtype, width, None);
                let (stage, tile) = self.tile(dtype, stage_width);
                self.line(&format!("pto.comm.tget({dst}, {src}, buf({stage}) : {part}, {part}, {tile})"));
            }
            2 => {
                let (src, part) = self.part("%wv", "i32", width, None);
                let (dst, _) = self.part(&format!("%zv{other}"), "i32", width, None);
                let (stage, tile) = self.tile("i32", stage_width);
                let adds = "{atomicType = #pto<atomic_type atomic_add>}";
                self.line(&format!("pto.comm.tput({dst}, {src}, buf({stage}) : {part}, {part}, {tile}) {adds}"));
            }
            3 => {
                let (src, part) = self.part("%xv", dtype, width, None);
                let (tile, ty) = self.tile(dtype, width);
                let (twice, _) = self.tile(dtype, width);
                self.line(&format!("pto.tload ins({src} : {part}) outs({tile} : {ty})"));
                self.line(&format!("pto.tadd ins({tile}, {tile} : {ty}, {ty}) outs({twice} : {ty})"));
                self.line(&format!("pto.tstore ins({twice} : {ty}) outs({src} : {part})"));
            }
            collective => self.collective(collective, dtype, width, stage_width, other),
        }
    }

    fn collective(&mut self, which: usize, dtype: &str, width: usize, stage_width: usize, root: usize) {
        let root_value = self.constant(root, "index");
        self.constants += 1;
        let is_root = format!("%is{}", self.constants);
        self.line(&format!("{is_root} = arith.cmpi eq, %rank, {root_value} : index"));
        self.line(&format!("scf.if {is_root} {{"));
        // Reduce and gather read `x` of all ranks, broadcast and scatter write `y` of all.
        let (own, others) = if which.is_multiple_of(2) { ("y", "xv") } else { ("x", "yv") };
        let (mine, mine_type) =
            if which < 6 { self.part(&format!("%{own}v"), dtype, width, None) } else { self.whole(own, dtype, width) };
        let group: Vec<(String, String)> =
            (0..self.ranks).map(|k| self.part(&format!("%{others}{k}"), dtype, width, None)).collect();
        let types = group.iter().map(|(_, ty)| &**ty).collect::<Vec<_>>().join(", ");
        let group = group.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(", ");
        let (stage, tile) = self.tile(dtype, stage_width);
        let end = format!("group({group}) : {mine_type}, {tile}");
        match which {
            4 => {
                let (acc, _) = self.tile(dtype, stage_width);
                let how = ["sum", "max", "min"][self.random.below(3)];
                let attributes = format!("{{reduceOp = #pto<reduce_op {how}>, root = {root} : i32}}");
                self.line(&format!(
                    "pto.comm.treduce({mine}, {acc}, recv({stage}), {end}, {tile}, {types}) {attributes}"
                ));
            }
            _ => {
                let name = ["tbroadcast", "tgather", "tscatter"][which - 5];
                self.line(&format!("pto.comm.{name}({mine}, recv({stage}), {end}, {types}) {{root = {root} : i32}}"));
            }
        }
        self.line("}");
    }

    /// A row for each rank, from the start of a parameter on.
    fn whole(&mut self, name: &str, dtype: &str, width: usize) -> (String, String) {
        let (rows, cols) = (self.constant(self.ranks, "index"), self.constant(width, "index"));
        self.constants += 1;
        let (view, ty) = (format!("%g{}", self.constants), format!("!pto.tensor_view<{}x{width}x{dtype}>", self.ranks));
        self.line(&format!(
            "{view} = pto.make_tensor_view %{name}, shape = [{rows}, {cols}], strides = [{cols}, %one] : {ty}"
        ));
        (view, ty)
    }
}
