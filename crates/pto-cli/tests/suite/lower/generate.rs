//! Random programs without addresses and flags: loops, branches, windows, tiles that come and go.

/// Numbers in a fixed order.
pub struct Random(u64);

impl Random {
    pub fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Rows of a matrix that programs load and store, sixteen at a time.
pub const HEIGHT: usize = 128;
pub const WIDTH: usize = 32;

struct Writer {
    random: Random,
    text: String,
    /// Whole tiles that hold something, the innermost last, and windows of them.
    tiles: Vec<String>,
    windows: Vec<String>,
    names: u32,
    left: u32,
    /// Some loops have a condition that is computed in their first part.
    conditional: bool,
}

/// The text of a program: `@f(%x, %y, %n, %m, %flag, %other)`.
pub fn program(seed: u64) -> String {
    written(seed, false)
}

/// The same with loops that are left in the middle.
pub fn conditional_program(seed: u64) -> String {
    written(seed, true)
}

fn written(seed: u64, conditional: bool) -> String {
    let mut random = Random::of(seed);
    let left = 6 + random.below(26) as u32;
    let mut writer =
        Writer { random, text: HEAD.to_string(), tiles: Vec::new(), windows: Vec::new(), names: 0, left, conditional };
    for _ in 0..2 {
        writer.new_tile(1);
    }
    writer.list(1, 0);
    let last = writer.any_tile();
    writer.line(1, &format!("pto.tstore ins({last} : !tile) outs(%out0 : !rows)"));
    writer.text + "  return\n}\n"
}

const HEAD: &str = "!tile = !pto.tile_buf<vec, 16x32xf32>\n\
!half = !pto.tile_buf<vec, 8x32xf32>\n\
!matrix = !pto.tensor_view<128x32xf32>\n\
!rows = !pto.partition_tensor_view<16x32xf32>\n\n\
func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index, %m: index, %flag: i1, %other: i1) {\n  \
%zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n  %eight = arith.constant 8 : index\n  \
%step = arith.constant 16 : index\n  %width = arith.constant 32 : index\n  %height = arith.constant 128 : index\n  \
%small = arith.constant 0.5 : f32\n  %nothing = arith.constant 0.0 : f32\n  %three = arith.constant 3 : index\n  \
%xs = pto.make_tensor_view %x, shape = [%height, %width], strides = [%width, %one] : !matrix\n  \
%ys = pto.make_tensor_view %y, shape = [%height, %width], strides = [%width, %one] : !matrix\n  \
%in0 = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%step, %width] : !matrix -> !rows\n  \
%in1 = pto.partition_view %xs, offsets = [%step, %zero], sizes = [%step, %width] : !matrix -> !rows\n  \
%out0 = pto.partition_view %ys, offsets = [%zero, %zero], sizes = [%step, %width] : !matrix -> !rows\n  \
%out1 = pto.partition_view %ys, offsets = [%step, %zero], sizes = [%step, %width] : !matrix -> !rows\n";

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        self.text += &format!("{}{text}\n", "  ".repeat(depth));
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%t{}", self.names)
    }

    fn any_tile(&mut self) -> String {
        let at = self.random.below(self.tiles.len() as u64) as usize;
        self.tiles[at].clone()
    }

    /// A tile that holds something from the start.
    fn new_tile(&mut self, depth: usize) {
        let name = self.name();
        self.line(depth, &format!("{name} = pto.alloc_tile : !tile"));
        if self.random.below(2) == 0 {
            let from = self.random.below(2);
            self.line(depth, &format!("pto.tload ins(%in{from} : !rows) outs({name} : !tile)"));
        } else {
            self.line(depth, &format!("pto.texpands ins(%small : f32) outs({name} : !tile)"));
        }
        self.tiles.push(name);
    }

    fn list(&mut self, depth: usize, nesting: u32) {
        let (tiles, windows) = (self.tiles.len(), self.windows.len());
        for _ in 0..1 + self.random.below(7) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            self.statement(depth, nesting);
        }
        self.tiles.truncate(tiles);
        self.windows.truncate(windows);
    }

    fn statement(&mut self, depth: usize, nesting: u32) {
        match self.random.below(14) {
            0 | 1 => self.new_tile(depth),
            2 | 3 => {
                let (from, to) = (self.random.below(2), self.any_tile());
                self.line(depth, &format!("pto.tload ins(%in{from} : !rows) outs({to} : !tile)"));
            }
            4 | 5 => {
                let (from, to) = (self.any_tile(), self.random.below(2));
                self.line(depth, &format!("pto.tstore ins({from} : !tile) outs(%out{to} : !rows)"));
            }
            6 => {
                let (from, to) = (self.random.below(2), self.any_tile());
                self.line(depth, &format!("pto.tload ins(%out{from} : !rows) outs({to} : !tile)"));
            }
            7 => self.window(depth),
            8 => self.element(depth),
            9 | 10 if nesting < 3 => self.loop_statement(depth, nesting),
            11 if nesting < 3 => self.branched(depth, nesting),
            _ => self.computation(depth),
        }
    }

    fn computation(&mut self, depth: usize) {
        let op = ["tadd", "tsub", "tmax", "tmin"][self.random.below(4) as usize];
        if !self.windows.is_empty() && self.random.below(3) == 0 {
            let window = |w: &mut Self| {
                let at = w.random.below(w.windows.len() as u64) as usize;
                w.windows[at].clone()
            };
            let (a, c) = (window(self), window(self));
            self.line(depth, &format!("pto.{op} ins({a}, {a} : !half, !half) outs({c} : !half)"));
            return;
        }
        let (a, b, c) = (self.any_tile(), self.any_tile(), self.any_tile());
        self.line(depth, &format!("pto.{op} ins({a}, {b} : !tile, !tile) outs({c} : !tile)"));
    }

    fn window(&mut self, depth: usize) {
        let (of, name) = (self.any_tile(), self.name());
        let row = ["%zero", "%eight"][self.random.below(2) as usize];
        self.line(depth, &format!("{name} = pto.subview {of}[{row}, %zero] sizes [8, 32] : !tile -> !half"));
        self.windows.push(name);
    }

    /// The scalar unit reads a number and writes another.
    fn element(&mut self, depth: usize) {
        let (from, to, name) = (self.any_tile(), self.any_tile(), self.name());
        self.line(depth, &format!("{name} = pto.tgetval ins({from}, %three : !tile, index) outs : f32"));
        self.line(depth, &format!("pto.tsetval ins(%one, {name} : index, f32) outs({to} : !tile)"));
    }

    fn loop_statement(&mut self, depth: usize, nesting: u32) {
        let (index, bound) = (self.name(), ["%n", "%m", "%three", "%zero"][self.random.below(4) as usize]);
        if self.conditional && self.random.below(2) == 0 {
            return self.left_in_the_middle(depth, nesting, &index, bound);
        }
        self.line(depth, &format!("scf.for {index} = %zero to {bound} step %one {{"));
        self.list(depth + 1, nesting + 1);
        self.line(depth, "}");
    }

    fn left_in_the_middle(&mut self, depth: usize, nesting: u32, index: &str, bound: &str) {
        self.line(depth, &format!("{index} = scf.while ({index}b = %zero) : (index) -> index {{"));
        self.list(depth + 1, nesting + 1);
        self.line(depth + 1, &format!("{index}m = arith.cmpi slt, {index}b, {bound} : index"));
        self.line(depth + 1, &format!("scf.condition({index}m) {index}b : index"));
        self.line(depth, "} do {");
        self.line(depth, &format!("^bb0({index}a: index):"));
        self.list(depth + 1, nesting + 1);
        self.line(depth + 1, &format!("{index}n = arith.addi {index}a, %one : index"));
        self.line(depth + 1, &format!("scf.yield {index}n : index"));
        self.line(depth, "}");
    }

    fn branched(&mut self, depth: usize, nesting: u32) {
        let condition = ["%flag", "%other"][self.random.below(2) as usize];
        self.line(depth, &format!("scf.if {condition} {{"));
        self.list(depth + 1, nesting + 1);
        if self.random.below(2) == 0 {
            self.line(depth, "} else {");
            self.list(depth + 1, nesting + 1);
        }
        self.line(depth, "}");
    }
}
