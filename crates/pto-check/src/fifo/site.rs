//! The position of each operation: block, function, module, kind of core.

use crate::structure::blocks_of;
use pto_ir::{Attr, BlockId, Module, OpId};
use pto_isa::row::{Control, CoreKind};

/// The surroundings of an operation.
#[derive(Clone, Copy)]
pub(super) struct OpSite {
    /// The block that holds it.
    pub(super) block: BlockId,
    /// The operation whose region the block is in.
    pub(super) parent: Option<OpId>,
    /// The function around it.
    pub(super) function: Option<OpId>,
    /// The innermost module around it.
    pub(super) container: Option<OpId>,
    /// The kind of core that executes it, if the program says so; a helper that both inline runs on any.
    pub(super) core: Option<CoreKind>,
}

/// The site of every operation, by id.
pub(super) fn collect(module: &Module) -> Vec<OpSite> {
    let outside = OpSite { block: module.top, parent: None, function: None, container: None, core: None };
    let mut sites = vec![outside; module.op_count()];
    visit(module, outside, &mut sites);
    sites
}

fn visit(module: &Module, here: OpSite, sites: &mut [OpSite]) {
    for &id in &module.block(here.block).ops {
        sites[id.index()] = here;
        let inside = enter(module, id, here);
        for block in blocks_of(module, id) {
            visit(module, OpSite { block, ..inside }, sites);
        }
    }
}

/// The site inside the regions of an operation.
fn enter(module: &Module, id: OpId, outside: OpSite) -> OpSite {
    let here = OpSite { parent: Some(id), ..outside };
    let stated = stated_kind(module, id).or(here.core);
    match module.control(id) {
        Some(Control::Module) => OpSite { container: Some(id), core: stated, ..here },
        Some(Control::Function) if module.attr(id, "pto.tileop.helper").is_some() => {
            OpSite { function: Some(id), core: Some(CoreKind::Any), ..here }
        }
        Some(Control::Function) => OpSite { function: Some(id), core: stated, ..here },
        Some(Control::Section(CoreKind::Cube)) => OpSite { core: Some(CoreKind::Cube), ..here },
        Some(Control::Section(CoreKind::Vector)) => OpSite { core: Some(CoreKind::Vector), ..here },
        _ => here,
    }
}

/// The attribute `pto.kernel_kind` of a function or module.
fn stated_kind(module: &Module, id: OpId) -> Option<CoreKind> {
    match module.attr(id, "pto.kernel_kind")? {
        Attr::Enum(def, at) => {
            let name = def.value(usize::from(*at));
            [CoreKind::Cube, CoreKind::Vector].into_iter().find(|c| c.name() == name)
        }
        _ => None,
    }
}
