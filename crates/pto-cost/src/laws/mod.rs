//! Laws as data: parameters with their grade and their source, and how the one for an instruction is found.

mod params;

pub use params::{ParamKey, Params};

use pto_isa::row::CostClass;
use pto_isa::{DType, Op, Target};
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

const TEXT: &str = include_str!("../../data/laws.tsv");

/// How far a number can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// Fitted to measurements of the thing itself.
    Calibrated,
    /// Taken over from something similar that was measured, or from a public model.
    Derived,
    /// A guess.
    Assumed,
}

impl Grade {
    /// Every grade.
    pub const ALL: [Self; 3] = [Self::Calibrated, Self::Derived, Self::Assumed];

    /// The word in data files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calibrated => pto_isa::text_key!("calibrated"),
            Self::Derived => pto_isa::text_key!("derived"),
            Self::Assumed => pto_isa::text_key!("assumed"),
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which figures a prediction is made with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Model {
    /// Laws fitted to measurements.
    #[default]
    Calibrated,
    /// The figures of the instruction pages, where a page has some.
    Documented,
}

/// A law: numbers, how good they are, and where they come from.
#[derive(Clone, PartialEq, Debug)]
pub struct Law {
    /// What it is about: an instruction, a cost class, a way between memories, a part of the machine.
    pub subject: &'static str,
    /// The element types it is for; `*`: all others.
    pub types: &'static str,
    /// Its numbers.
    pub params: Params,
    /// How far they can be trusted.
    pub grade: Grade,
    /// Where they come from.
    pub source: &'static str,
}

impl Law {
    /// A parameter; 0 where the law does not state it.
    pub fn get(&self, key: ParamKey) -> f64 {
        self.params.get(key)
    }
}

/// The laws of a target.
#[derive(Debug)]
pub struct Laws {
    target: Target,
    list: Vec<Law>,
    places: HashMap<(&'static str, &'static str), usize>,
}

impl Laws {
    /// The laws of a target. The host has no cost model; it is costed as `a2a3`.
    ///
    /// ```
    /// use pto_cost::{Grade, ParamKey, Laws};
    /// use pto_isa::{DType, Target, table::op};
    ///
    /// let law = Laws::of(Target::A2A3).instruction(op::tmax, &[DType::F32], "").expect("every instruction has one");
    /// assert_eq!(law.grade, Grade::Calibrated);
    /// assert_eq!(law.get(ParamKey::Fixed), 23.0);
    /// ```
    pub fn of(target: Target) -> &'static Self {
        static ALL: OnceLock<[Laws; 2]> = OnceLock::new();
        let all = ALL.get_or_init(|| [Self::read(Target::A2A3), Self::read(Target::A5)]);
        &all[usize::from(target == Target::A5)]
    }

    /// The target they are for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// All of them, in the order of the data file.
    pub fn all(&self) -> &[Law] {
        &self.list
    }

    fn read(target: Target) -> Self {
        let mut laws = Self { target, list: Vec::new(), places: HashMap::new() };
        for line in TEXT.lines().filter(|l| !l.starts_with('#')) {
            let mut fields = line.split('\t');
            let mut next = || fields.next().unwrap_or("");
            if next() != target.name() {
                continue;
            }
            let (subject, types, params, grade, source) = (next(), next(), next(), next(), next());
            let grade = Grade::ALL.into_iter().find(|g| g.name() == grade).unwrap_or(Grade::Assumed);
            laws.places.insert((subject, types), laws.list.len());
            laws.list.push(Law { subject, types, params: Params::read(params), grade, source });
        }
        laws
    }

    /// A subject with types, or else for all types.
    pub fn find(&self, subject: &str, types: &str) -> Option<&Law> {
        let at = self.places.get(&(subject, types)).or_else(|| self.places.get(&(subject, "*")))?;
        Some(&self.list[*at])
    }

    /// The law of an instruction on elements of these types (read, then written where that differs), perhaps in a mode.
    pub fn instruction(&self, op: Op, types: &[DType], mode: &str) -> Option<&Law> {
        let row = op.row();
        let names: Vec<&str> = types.iter().map(|t| t.name()).collect();
        let both = if names.len() > 1 { names.join("->") } else { String::new() };
        let first = names.first().copied().unwrap_or("*");
        let named = |subject: &str| {
            let exact = self.places.get(&(subject, &*both)).map(|at| &self.list[*at]);
            exact.or_else(|| self.find(subject, first))
        };
        let in_mode = if mode.is_empty() { None } else { named(&format!("{}.{mode}", row.name)) };
        in_mode.or_else(|| named(row.name)).or_else(|| named(&class_name(row.cost)))
    }

    /// A way between memories, `gm>vec` for example.
    pub fn way(&self, name: &str) -> Option<&Law> {
        self.find(name, "*").or_else(|| self.find("way", "*"))
    }

    /// A number of a part of the machine.
    pub fn machine(&self, part: &str, key: ParamKey) -> f64 {
        self.find(part, "*").map_or(0.0, |law| law.get(key))
    }
}

/// The name of a class in the data file. Transfers have no law of their class, but that of their path.
fn class_name(cost: CostClass) -> String {
    match cost {
        CostClass::Load | CostClass::Store | CostClass::Move | CostClass::FixPipe | CostClass::Fifo => {
            "way".to_string()
        }
        CostClass::Sync => "Scalar".to_string(),
        other => format!("{other:?}"),
    }
}

/// The law that an instruction goes by on a target whatever its types, `None` for what takes no time there: names of memory,
/// flags, what only the host does. What moves data goes by the law of its way, which depends on its operands.
///
/// ```
/// use pto_cost::{Grade, law_of_row};
/// use pto_isa::{Target, table::op};
///
/// assert_eq!(law_of_row(op::tpartargmax, Target::A5).expect("it takes time").grade, Grade::Assumed);
/// assert!(law_of_row(op::alloc_tile, Target::A5).is_none());
/// ```
pub fn law_of_row(op: Op, target: Target) -> Option<&'static Law> {
    let row = op.row();
    if row.cost == CostClass::None || row.cost == CostClass::Sync {
        return None;
    }
    Laws::of(target).instruction(op, &[], "")
}

/// True when the cost of an instruction is known, or known to be none, on every device that has it.
pub fn is_costed(op: Op) -> bool {
    let row = op.row();
    let takes_no_time = matches!(row.cost, CostClass::None | CostClass::Sync);
    let devices = row.targets.iter().filter(|t| *t != Target::Cpu);
    takes_no_time || devices.into_iter().all(|t| law_of_row(op, t).is_some())
}
