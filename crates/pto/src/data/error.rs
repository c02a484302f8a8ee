//! What is wrong with data.

use crate::isa::{Diagnostic, Span, codes};
use std::fmt;

/// Why data cannot be used: what was found, and how to get what is needed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DataError {
    /// What was found.
    pub message: String,
    /// What would be right, and how to get there.
    pub help: Option<String>,
}

impl DataError {
    /// An error without advice.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    /// Says how to fix it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Names the data before the message.
    #[must_use]
    pub fn about(mut self, what: impl fmt::Display) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DataError {}

/// So that `?` takes data and programs alike.
///
/// ```
/// use pto::data::Array;
/// use pto::isa::DType;
///
/// fn sizes() -> Result<usize, pto::Error> {
///     pto::Program::parse("func.func @f() { return }").check(pto::Target::A5)?;
///     Ok(Array::iota(DType::I32, &[2, 3])?.bytes().len())
/// }
/// assert_eq!(sizes(), Ok(24));
/// ```
impl From<DataError> for crate::Error {
    fn from(error: DataError) -> Self {
        let problem = Diagnostic::new(codes::RUN_ARGUMENT, Span::default(), error.message);
        error.help.into_iter().fold(problem, Diagnostic::help).into()
    }
}
