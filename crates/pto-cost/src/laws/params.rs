//! The numbers of a law, by name.

/// The names of parameters. The header of `data/laws.tsv` explains them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the data file explains them")]
#[repr(u8)]
pub enum ParamKey {
    Fixed,
    Slope,
    Mask,
    Row,
    Fold,
    Step,
    Call,
    Passes,
    Start,
    Issue,
    Drain,
    Rate,
    Nested,
    Lanes,
    Head,
    Odd,
    Cycles,
    Bytes,
    Thrash,
    Mhz,
    CubeCores,
    VectorCores,
    FlopsF16,
    LanesBytes,
}

const NAMES: [(&str, ParamKey); 24] = [
    ("fixed", ParamKey::Fixed),
    ("slope", ParamKey::Slope),
    ("mask", ParamKey::Mask),
    ("row", ParamKey::Row),
    ("fold", ParamKey::Fold),
    ("step", ParamKey::Step),
    ("call", ParamKey::Call),
    ("passes", ParamKey::Passes),
    ("start", ParamKey::Start),
    ("issue", ParamKey::Issue),
    ("drain", ParamKey::Drain),
    ("rate", ParamKey::Rate),
    ("nested", ParamKey::Nested),
    ("lanes", ParamKey::Lanes),
    ("head", ParamKey::Head),
    ("odd", ParamKey::Odd),
    ("cycles", ParamKey::Cycles),
    ("bytes", ParamKey::Bytes),
    ("thrash", ParamKey::Thrash),
    ("mhz", ParamKey::Mhz),
    ("cube_cores", ParamKey::CubeCores),
    ("vector_cores", ParamKey::VectorCores),
    ("flops_f16", ParamKey::FlopsF16),
    ("lanes_bytes", ParamKey::LanesBytes),
];

/// Named numbers.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Params(Vec<(ParamKey, f64)>);

impl Params {
    /// Reads `fixed=24 slope=2`. Names that do not exist are left out; a test of the data finds them.
    ///
    /// ```
    /// use pto_cost::{ParamKey, Params};
    /// assert_eq!(Params::read("fixed=24 slope=2.5").get(ParamKey::Slope), 2.5);
    /// ```
    pub fn read(text: &str) -> Self {
        let pair = |word: &str| {
            let (name, number) = word.split_once('=')?;
            let key = NAMES.iter().find(|(n, _)| *n == name)?.1;
            Some((key, number.parse().ok()?))
        };
        Self(text.split_whitespace().filter_map(pair).collect())
    }

    /// A number; 0 where it is not stated.
    pub fn get(&self, key: ParamKey) -> f64 {
        self.0.iter().find(|(k, _)| *k == key).map_or(0.0, |(_, value)| *value)
    }

    /// The numbers, to be changed by a fit.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The numbers with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let name = |key: ParamKey| NAMES.iter().find(|(_, k)| *k == key).map_or("", |(n, _)| n);
        self.0.iter().map(move |(key, value)| (name(*key), *value))
    }
}
