//! Names as numbers: equal text, equal [`Sym`].

use crate::Sym;

/// Holds each distinct name once.
///
/// ```
/// use pto_ir::Interner;
/// let mut names = Interner::default();
/// let a = names.intern("x");
/// assert_eq!(names.intern("x"), a);
/// assert_eq!(names.text(a), "x");
/// ```
#[derive(Clone, Debug)]
pub struct Interner {
    text: String,
    ends: Vec<u32>,
    /// Open addressing with linear probing; 0 is free, otherwise the symbol plus one.
    slots: Vec<u32>,
}

impl Default for Interner {
    fn default() -> Self {
        let mut this = Self { text: String::new(), ends: Vec::new(), slots: vec![0; 64] };
        this.intern("");
        this
    }
}

impl Interner {
    /// The symbol of a name, made on first use.
    pub fn intern(&mut self, name: &str) -> Sym {
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let at = self.probe(name);
        if self.slots[at] == 0 {
            self.text.push_str(name);
            self.ends.push(u32::try_from(self.text.len()).expect("names fit in 4 GiB"));
            self.slots[at] = self.ends.len() as u32;
        }
        Sym(self.slots[at] - 1)
    }

    /// The symbol of a name, if it has one.
    pub fn get(&self, name: &str) -> Option<Sym> {
        let slot = self.slots[self.probe(name)];
        (slot != 0).then(|| Sym(slot - 1))
    }

    /// The text of a symbol.
    #[inline]
    pub fn text(&self, sym: Sym) -> &str {
        let at = sym.index();
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: the empty name is always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The slot that holds `name`, or the free slot where it belongs.
    fn probe(&self, name: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash(name) as usize & mask;
        while self.slots[at] != 0 && self.text(Sym(self.slots[at] - 1)) != name {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        for i in 0..self.ends.len() {
            let sym = Sym(i as u32);
            let mask = self.slots.len() - 1;
            let mut at = hash(self.text(sym)) as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = i as u32 + 1;
        }
    }
}

/// Hashes eight bytes at a time (multiply and fold). Names are short and not adversarial.
pub(crate) fn hash(text: &str) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut h = text.len() as u64;
    let mut chunks = text.as_bytes().chunks_exact(8);
    for c in &mut chunks {
        let word = u64::from_le_bytes(c.try_into().expect("eight bytes"));
        h = (h ^ word).wrapping_mul(K);
        h ^= h >> 32;
    }
    for &b in chunks.remainder() {
        h = (h ^ u64::from(b)).wrapping_mul(K);
    }
    h ^ h >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_stay_distinct() {
        let mut names = Interner::default();
        let syms: Vec<Sym> = (0..10_000).map(|i| names.intern(&format!("v{i}"))).collect();
        for (i, s) in syms.iter().enumerate() {
            assert_eq!(names.text(*s), format!("v{i}"));
            assert_eq!(names.get(&format!("v{i}")), Some(*s));
        }
        assert_eq!(names.get("nobody"), None);
        assert_eq!(names.text(Sym::EMPTY), "");
    }
}
