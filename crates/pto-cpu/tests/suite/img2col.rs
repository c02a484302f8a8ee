//! The matrix of a convolution against its definition, element by element.

use pto_cpu::{Arg, Options, Plan};
use pto_isa::{DType, Target};

/// Random sizes; few of them do not fit into the tiles.
const ROUNDS: u64 = 400;

/// The sizes of a convolution. Pairs are of height and width.
struct Sizes {
    map: [u64; 2],
    /// Before and after the map.
    pads: [[u64; 2]; 2],
    filter: [u64; 2],
    stride: [u64; 2],
    dilation: [u64; 2],
    groups: u64,
    images: u64,
}

impl Sizes {
    /// Of the result.
    fn out(&self, at: usize) -> u64 {
        let padded = self.map[at] + self.pads[at][0] + self.pads[at][1];
        let reach = self.dilation[at] * (self.filter[at] - 1) + 1;
        if padded < reach { 0 } else { (padded - reach) / self.stride[at] + 1 }
    }

    fn rows(&self) -> u64 {
        self.images * self.out(0) * self.out(1)
    }

    fn cols(&self, per_group: u64) -> u64 {
        self.groups * self.filter[0] * self.filter[1] * per_group
    }

    /// Row and column of the map for an element of the matrix; `None` in the padding.
    fn source(&self, m: u64, k: u64, per_group: u64) -> Option<(u64, u64)> {
        let taps = self.filter[0] * self.filter[1];
        let (group, tap) = (k / per_group / taps, k / per_group % taps);
        let image = m / (self.out(0) * self.out(1));
        let points = [m / self.out(1) % self.out(0), m % self.out(1)];
        let taps = [tap / self.filter[1], tap % self.filter[1]];
        let mut at = [0, 0];
        for d in 0..2 {
            let padded = points[d] * self.stride[d] + taps[d] * self.dilation[d];
            at[d] = padded.checked_sub(self.pads[d][0]).filter(|at| *at < self.map[d])?;
        }
        Some((((image * self.groups + group) * self.map[0] + at[0]) * self.map[1] + at[1], k % per_group))
    }
}

/// Numbers below limits, always the same ones.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % limit
    }

    fn sizes(&mut self) -> Sizes {
        let mut pair = |least: u64, most: u64| [0, 1].map(|_| least + self.below(most - least + 1));
        let (map, filter, stride, dilation) = (pair(1, 9), pair(1, 3), pair(1, 3), pair(1, 2));
        let pads = [pair(0, 2), pair(0, 2)];
        let [groups, images] = pair(1, 2);
        Sizes { map, pads, filter, stride, dilation, groups, images }
    }
}

fn program(s: &Sizes, dtype: DType, rows: u64, (valid_rows, valid_cols): (u64, u64)) -> String {
    let per_group = 256 / u64::from(dtype.bits());
    let (dtype, boxes) = (dtype.mlir(), valid_cols.next_multiple_of(per_group));
    let map = format!("!pto.tile_buf<mat, {rows}x{per_group}x{dtype}>");
    let tall = valid_rows.next_multiple_of(16);
    let matrix =
        format!("!pto.tile_buf<left, {tall}x{boxes}x{dtype}, valid={valid_rows}x{valid_cols}, slayout=row_major>");
    format!(
        "func.func @f(%map: {map}, %matrix: {matrix}, %m: i32, %k: i32) {{
           pto.setfmatrix ins(%map) {{fmapH = {}, fmapW = {}, padTop = {}, padBottom = {}, padLeft = {}, padRight = {}}}
           pto.set_img2col_padding ins(%map) {{padValue = 77}}
           pto.timg2col ins(%map, %m, %k) outs(%matrix) {{filterH = {}, filterW = {}, strideH = {}, strideW = {},
             dilationH = {}, dilationW = {}, channels = {}}}
           return
         }}",
        s.map[0],
        s.map[1],
        s.pads[0][0],
        s.pads[0][1],
        s.pads[1][0],
        s.pads[1][1],
        s.filter[0],
        s.filter[1],
        s.stride[0],
        s.stride[1],
        s.dilation[0],
        s.dilation[1],
        s.groups * per_group
    )
}

#[test]
fn every_element_is_where_the_definition_says() {
    let mut random = Random(7);
    let mut compared = 0;
    for round in 0..ROUNDS {
        let sizes = random.sizes();
        let dtype = [DType::I8, DType::F16, DType::F32][round as usize % 3];
        let bytes = u64::from(dtype.bits()) / 8;
        let per_group = 32 / bytes;
        let (rows, cols) = (sizes.rows(), sizes.cols(per_group));
        if rows == 0 {
            continue;
        }
        let (m, k) = (random.below(rows), random.below(cols) / per_group * per_group);
        let valid = (1 + random.below((rows - m).min(48)), 1 + random.below((cols - k).min(64)));
        let map_rows = sizes.images * sizes.groups * sizes.map[0] * sizes.map[1];
        let mut map: Vec<u8> = (0..map_rows * 32).map(|_| random.below(251) as u8).collect();
        let wide = valid.1.next_multiple_of(per_group);
        let mut matrix = vec![0xa5u8; (valid.0.next_multiple_of(16) * wide * bytes) as usize];
        let text = program(&sizes, dtype, map_rows, valid);
        let (module, problems) = pto_syntax::parse(&text);
        assert!(problems.is_empty(), "{}\n{text}", problems[0].message);
        let checked = pto_check::check(module, Target::Cpu).unwrap_or_else(|d| panic!("{d}\n{text}"));
        let plan = Plan::new(&checked, None, Options::default()).unwrap_or_else(|d| panic!("{d}\n{text}"));
        let mut expected = matrix.clone();
        for (r, c) in (0..valid.0).flat_map(|r| (0..valid.1).map(move |c| (r, c))) {
            let at = (r * wide + c) as usize;
            for byte in 0..bytes as usize {
                expected[at * bytes as usize + byte] = match sizes.source(m + r, k + c, per_group) {
                    Some((row, col)) => map[((row * per_group + col) * bytes) as usize + byte],
                    None => 77u64.to_le_bytes()[byte],
                };
            }
        }
        let mut args =
            [Arg::write(&mut map).of(dtype), Arg::write(&mut matrix).of(dtype), Arg::Int(m as i64), Arg::Int(k as i64)];
        plan.launch().run(&mut args).unwrap_or_else(|d| panic!("{d}\n{text}"));
        assert!(matrix == expected, "round {round}, at [{m}, {k}]\n{text}");
        compared += 1;
    }
    assert!(compared > ROUNDS / 2, "{compared} of {ROUNDS}");
}
