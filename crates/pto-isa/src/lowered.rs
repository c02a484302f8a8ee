//! Buffers of lowered programs, read as the tiles they stand for.

use crate::text;
use crate::{BLayout, Compact, Loc, MemrefType, Pad, PtrSpace, SLayout, TileType, Type};

impl MemrefType {
    /// The memory it is in: global memory where the type names none; `None` for a name that nothing has.
    pub fn space(&self) -> Option<PtrSpace> {
        let Some((_, rest)) = self.rest.split_once("address_space<") else { return Some(PtrSpace::Gm) };
        match rest.split('>').next()? {
            "gm" | "zero" => Some(PtrSpace::Gm),
            name => Loc::parse(name).map(PtrSpace::On),
        }
    }

    /// The tile of a buffer in a memory of a core: its last dimension is the columns, those before it the rows. Rows are
    /// contiguous, but operands and results of products are in boxes.
    pub fn tile(&self) -> Option<TileType> {
        let plain = !self.rest.contains("strided") && !self.rest.contains("affine");
        self.whole_tile().filter(|_| plain)
    }

    /// The strides that the type writes, where all are fixed.
    pub fn strides(&self) -> Option<Vec<u64>> {
        let (_, list) = self.rest.split_once("strided<[")?;
        list.split(']').next()?.split(',').map(|n| n.trim().parse().ok()).collect()
    }

    /// The strides when the buffer is a tile whose elements lie one after another, in its order.
    pub fn dense_strides(&self, tile: &TileType) -> Vec<u64> {
        if tile.blayout == BLayout::ColMajor {
            return vec![1, tile.rows];
        }
        let mut strides = vec![1u64; self.view.dims.len()];
        for at in (1..strides.len()).rev() {
            strides[at - 1] = self.view.dims[at].fixed().map_or(0, |extent| strides[at].saturating_mul(extent));
        }
        strides
    }

    /// True when strides are those of a tile, as far as there is more than one element to step to; boxes have strides of their own.
    pub fn has_strides_of(&self, tile: &TileType) -> bool {
        if !self.rest.contains("strided") || tile.is_boxed() {
            return true;
        }
        let (Some(written), dense) = (self.strides(), self.dense_strides(tile)) else { return false };
        let same = written.iter().zip(&dense).zip(&self.view.dims);
        written.len() == dense.len() && same.into_iter().all(|((a, b), extent)| a == b || extent.fixed() == Some(1))
    }

    /// The tile of a buffer that is made, and so is not a window of another.
    pub fn whole_tile(&self) -> Option<TileType> {
        let Some(PtrSpace::On(loc)) = self.space() else { return None };
        let fixed: Vec<u64> = self.view.dims.iter().map(|d| d.fixed()).collect::<Option<_>>()?;
        let (cols, rows) = fixed.split_last().filter(|(_, rows)| !rows.is_empty())?;
        let rows = rows.iter().try_fold(1u64, |n, d| n.checked_mul(*d))?;
        let tile = TileType::new(loc, self.view.elem.elem()?, rows, *cols);
        Some(match loc {
            Loc::Mat if rows > 1 => tile.layout(BLayout::ColMajor, SLayout::RowMajor, 512),
            Loc::Left => tile.layout(BLayout::ColMajor, SLayout::RowMajor, 512),
            Loc::Right => tile.layout(BLayout::RowMajor, SLayout::ColMajor, 512),
            Loc::Acc => tile.layout(BLayout::ColMajor, SLayout::RowMajor, 1024),
            _ => tile,
        })
    }
}

impl Type {
    /// The memory of a core in which a tile, a lowered buffer, or a window of one is.
    pub fn local_space(&self) -> Option<Loc> {
        match self {
            Self::Memref(m) => match m.space() {
                Some(PtrSpace::On(loc)) => Some(loc),
                _ => None,
            },
            _ => self.local_tile().map(|tile| tile.loc),
        }
    }

    /// The tile of a value, a buffer, or a lowered buffer in a memory of a core.
    ///
    /// ```
    /// use pto_isa::{DType, Dim, Loc, MemrefType, ScalarType, TileType, Type, ViewType};
    /// let view = ViewType { dims: [2, 16, 8].map(Dim::Fixed).into(), elem: ScalarType::Elem(DType::F32) };
    /// let buffer = Type::Memref(MemrefType { view, rest: "#pto.address_space<vec>".into() });
    /// assert_eq!(buffer.local_tile(), Some(TileType::new(Loc::Vec, DType::F32, 32, 8)));
    /// ```
    pub fn local_tile(&self) -> Option<TileType> {
        match self {
            Self::Tile(t) | Self::TileBuf(t) | Self::MultiTile(t, _) => Some(*t),
            Self::Memref(m) => m.tile(),
            _ => None,
        }
    }
}

impl TileType {
    /// Sets an option as tile types write it.
    ///
    /// # Errors
    /// What the option may be; nothing when there is no such option.
    pub fn set_option(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        let number = || value.parse::<u8>().ok();
        match key {
            "blayout" => self.blayout = BLayout::parse(value).ok_or("row_major, col_major")?,
            "slayout" => self.slayout = SLayout::parse(value).ok_or("none_box, row_major, col_major")?,
            "fractal" => self.fractal = value.parse().map_err(|_| "a number")?,
            "pad" => {
                let named = |p: &Pad| p.name() == value || number() == Some(*p as u8);
                self.pad = Pad::ALL.into_iter().find(named).ok_or(text!("0 (null), 1 (zero), 2 (max), 3 (min)"))?;
            }
            "compact" => {
                let named = |c: &Compact| c.name() == value || number() == Some(*c as u8);
                let found = Compact::ALL.into_iter().find(named);
                self.compact = found.ok_or(text!("0 (null), 1 (normal), 2 (row_plus_one), 3"))?;
            }
            _ => return Err(""),
        }
        Ok(())
    }

    /// The tile with the configuration of a lowered program, `#pto.tile_buf_config<blayout=…, slayout=…, s_fractal_size=…, pad=…>`,
    /// whose layouts are names or numbers. `None` when it cannot be read.
    pub fn configured(mut self, config: &str) -> Option<Self> {
        let (_, body) = config.split_once('<')?;
        for entry in body.trim_end().strip_suffix('>')?.split(',') {
            let (key, value) = entry.split_once('=')?;
            let value = value.split(':').next()?.trim();
            let value = match (key.trim(), value) {
                ("blayout", "0") | ("slayout", "1") => "row_major",
                ("blayout", "1") | ("slayout", "2") => "col_major",
                ("slayout", "0") => "none_box",
                _ => value.rsplit('<').next()?.trim_end_matches('>'),
            };
            let key = if key.trim() == "s_fractal_size" { "fractal" } else { key.trim() };
            self.set_option(key, value).ok()?;
        }
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;

    #[test]
    fn configurations_are_read_with_names_and_numbers() {
        let plain = TileType::new(Loc::Vec, DType::F16, 16, 16);
        let boxed = TileType { blayout: BLayout::ColMajor, slayout: SLayout::RowMajor, pad: Pad::Zero, ..plain };
        for text in [
            "#pto.tile_buf_config<blayout=1 : i32, slayout=1 : i32, s_fractal_size=512, pad=1 : i32>",
            "#pto.tile_buf_config<blayout=col_major, slayout=row_major, s_fractal_size=512, pad=zero>",
        ] {
            assert_eq!(plain.configured(text), Some(boxed));
        }
        assert_eq!(plain.configured("#pto.tile_buf_config<blayout=sideways>"), None);
    }
}
