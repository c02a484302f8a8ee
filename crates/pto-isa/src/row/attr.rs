//! Attributes of an instruction.

use crate::Targets;
use crate::enums::EnumDef;
use crate::text;

/// An attribute of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct AttrSpec {
    /// Name.
    pub name: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// What it may be.
    pub kind: AttrKind,
    /// Must be given.
    pub required: bool,
    /// The default, as written.
    pub default: &'static str,
    /// The default, computed from other integer attributes.
    pub computed: Option<ComputedDefault>,
    /// Targets that take it.
    pub targets: Targets,
    /// One line of documentation.
    pub doc: &'static str,
}

/// Computes the default of an integer attribute; the argument gives the others by name, with their own defaults.
pub type ComputedDefault = fn(&dyn Fn(&str) -> Option<i64>) -> Option<i64>;

/// What an attribute may be.
#[derive(Clone, Copy, Debug)]
pub enum AttrKind {
    /// A value of an enumeration.
    Enum(&'static EnumDef),
    /// A value of one of two enumerations (an old and a new name of the same list).
    EnumOr(&'static EnumDef, &'static EnumDef),
    /// An integer in this closed range.
    Int(i64, i64),
    /// An integer in a list.
    OneOf(&'static [i64]),
    /// `true` or `false`.
    Bool,
    /// Text.
    Str,
    /// `@name`.
    Symbol,
    /// A list of integers.
    Ints,
    /// Present or absent.
    Unit,
    /// Anything the dialect allows; kept as written.
    Any,
}

/// A required attribute.
pub const fn attr(name: &'static str, kind: AttrKind, doc: &'static str) -> AttrSpec {
    AttrSpec { name, aliases: &[], kind, required: true, default: "", computed: None, targets: Targets::ALL, doc }
}

/// An attribute that may be left out; `default` is what it then is (empty: nothing).
pub const fn opt_attr(name: &'static str, kind: AttrKind, default: &'static str, doc: &'static str) -> AttrSpec {
    AttrSpec { name, aliases: &[], kind, required: false, default, computed: None, targets: Targets::ALL, doc }
}

impl AttrSpec {
    /// Also accepted under these names.
    #[must_use]
    pub const fn alias(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    /// Its default is computed from other attributes.
    #[must_use]
    pub const fn computed(mut self, default: ComputedDefault) -> Self {
        self.computed = Some(default);
        self
    }

    /// The integer that it is when not given; `other` gives the integer attributes of the same operation.
    ///
    /// ```
    /// use pto_isa::table;
    /// let row = table::find("aic_initialize_pipe").expect("an instruction").row();
    /// let slots = row.attr("slot_num").expect("an attribute");
    /// assert_eq!(slots.default_int(&|_| Some(1)), Some(8));
    /// assert_eq!(slots.default_int(&|_| Some(3)), Some(4), "four each way");
    /// ```
    pub fn default_int(&self, other: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        self.computed.map_or_else(|| self.default.parse().ok(), |default| default(other))
    }

    /// Only on these targets.
    #[must_use]
    pub const fn on(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// What it may be, in words.
    ///
    /// ```
    /// use pto_isa::table::op;
    /// assert_eq!(op::tcmps.row().attrs[0].legal_values(), "eq, ne, lt, le, gt, ge");
    /// ```
    pub fn legal_values(&self) -> String {
        match self.kind {
            AttrKind::Enum(e) | AttrKind::EnumOr(e, _) => e.to_string(),
            AttrKind::Int(low, _) if low <= i64::from(i32::MIN) => text!("an integer").to_string(),
            AttrKind::Int(low, high) if high >= i64::from(i32::MAX) => text!("an integer, at least {low}", low),
            AttrKind::Int(low, high) => text!("{low} to {high}", low, high),
            AttrKind::OneOf(list) => list.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
            AttrKind::Bool => text!("true, false").to_string(),
            AttrKind::Str => text!("a text in quotes").to_string(),
            AttrKind::Symbol => "`@name`".to_string(),
            AttrKind::Ints => text!("a list of integers").to_string(),
            AttrKind::Unit => text!("present or absent").to_string(),
            AttrKind::Any => text!("any attribute").to_string(),
        }
    }

    /// The enumeration its values come from.
    pub const fn enumeration(&self) -> Option<&'static EnumDef> {
        match self.kind {
            AttrKind::Enum(e) | AttrKind::EnumOr(e, _) => Some(e),
            _ => None,
        }
    }
}
