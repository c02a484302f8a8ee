//! Functions that can be run, checked for races and predicted.

use crate::Document;
use pto::isa::Span;

/// A function with a body, which commands can run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunnableFunction {
    /// Its name, without `@`.
    pub name: String,
    /// Where its definition starts.
    pub span: Span,
    /// It is marked as an entry.
    pub entry: bool,
}

impl Document {
    /// The functions that `pto run`, `pto race` and `pto perf` can be asked about.
    ///
    /// ```
    /// let document = pto_ide::Document::new("func.func @f() { return }\nfunc.func private @g()", None);
    /// assert_eq!(document.runnables().len(), 1, "a declaration does not run");
    /// ```
    pub fn runnables(&self) -> Vec<RunnableFunction> {
        let module = self.module();
        let functions = module.functions().into_iter().filter(|f| !module.op_regions(*f).is_empty());
        let item = |f| RunnableFunction {
            name: module.symbol_name(f).to_string(),
            span: module.op(f).name_span,
            entry: module.attr(f, "pto.entry").is_some(),
        };
        functions.map(item).filter(|f| !f.name.is_empty()).collect()
    }
}
