//! Where each operation stands: block, function, module, kind of core.

use crate::structure::blocks_of;
use pto_ir::{Attr, BlockId, Module, OpId};
use pto_isa::row::{Control, Core};

/// The surroundings of an operation.
#[derive(Clone, Copy)]
pub(super) struct Site {
    /// The block that holds it.
    pub(super) block: BlockId,
    /// The operation whose region the block is in.
    pub(super) parent: Option<OpId>,
    /// The function around it.
    pub(super) function: Option<OpId>,
    /// The innermost module around it.
    pub(super) container: Option<OpId>,
    /// The kind of core that runs it, when the program says so; a helper that is inlined into both runs on any.
    pub(super) core: Option<Core>,
}

/// The site of every operation, by id.
pub(super) fn collect(module: &Module) -> Vec<Site> {
    let outside = Site { block: module.top, parent: None, function: None, container: None, core: None };
    let mut sites = vec![outside; module.op_count()];
    visit(module, outside, &mut sites);
    sites
}

fn visit(module: &Module, here: Site, sites: &mut [Site]) {
    for &id in &module.block(here.block).ops {
        sites[id.index()] = here;
        let inside = enter(module, id, here);
        for block in blocks_of(module, id) {
            visit(module, Site { block, ..inside }, sites);
        }
    }
}

/// What changes inside the regions of an operation.
fn enter(module: &Module, id: OpId, outside: Site) -> Site {
    let here = Site { parent: Some(id), ..outside };
    let stated = stated_kind(module, id).or(here.core);
    match module.control(id) {
        Some(Control::Module) => Site { container: Some(id), core: stated, ..here },
        Some(Control::Function) if module.attr(id, "pto.tileop.helper").is_some() => {
            Site { function: Some(id), core: Some(Core::Any), ..here }
        }
        Some(Control::Function) => Site { function: Some(id), core: stated, ..here },
        Some(Control::Section(Core::Cube)) => Site { core: Some(Core::Cube), ..here },
        Some(Control::Section(Core::Vector)) => Site { core: Some(Core::Vector), ..here },
        _ => here,
    }
}

/// The attribute `pto.kernel_kind` of a function or module.
fn stated_kind(module: &Module, id: OpId) -> Option<Core> {
    match module.attr(id, "pto.kernel_kind")? {
        Attr::Enum(def, at) => {
            let name = def.value(usize::from(*at));
            [Core::Cube, Core::Vector].into_iter().find(|c| c.name() == name)
        }
        _ => None,
    }
}
