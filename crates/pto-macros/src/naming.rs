//! Variables of a kernel that hold new tiles give them their names, so that text and diagnostics have the names of the source.

use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Ident, Pat, Stmt, parse_quote_spanned};

/// Adds the names to a body, closures included.
pub fn name_variables(body: &mut Block) {
    Namer.visit_block_mut(body);
}

struct Namer;

impl VisitMut for Namer {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        block.stmts = std::mem::take(&mut block.stmts).into_iter().flat_map(with_names).collect();
    }
}

fn with_names(statement: Stmt) -> Vec<Stmt> {
    let mut names = Vec::new();
    if let Stmt::Local(local) = &statement
        && let Some(init) = &local.init
    {
        collect(&local.pat, &init.expr, &mut names);
    }
    std::iter::once(statement).chain(names.iter().map(naming)).collect()
}

/// The variables that get something new: `let a = X::new()`, `let (a, b) = (X::new(), X::with_valid(1, n))`.
fn collect(pattern: &Pat, value: &Expr, names: &mut Vec<Ident>) {
    match (pattern, value) {
        (Pat::Type(typed), value) => collect(&typed.pat, value, names),
        (Pat::Tuple(patterns), Expr::Tuple(values)) if patterns.elems.len() == values.elems.len() => {
            patterns.elems.iter().zip(&values.elems).for_each(|(p, v)| collect(p, v, names));
        }
        (Pat::Ident(name), value) if is_new(value) => names.push(name.ident.clone()),
        _ => {}
    }
}

fn is_new(value: &Expr) -> bool {
    let Expr::Call(call) = value else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    path.path.segments.last().is_some_and(|word| word.ident == "new" || word.ident == "with_valid")
}

fn naming(variable: &Ident) -> Stmt {
    let name = variable.to_string();
    parse_quote_spanned! { variable.span() =>
        {
            #[allow(unused_imports)]
            use ::pto::tile::naming::{Named as _, Nameless as _};
            (&::pto::tile::naming::Variable(&#variable)).suggest(#name);
        }
    }
}
