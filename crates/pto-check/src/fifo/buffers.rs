//! Reserved buffers: local memory of one function that another function writes to.

use super::LocatedProgram;
use crate::places::AddressRange;
use crate::structure::head;
use pto_ir::{Attr, OpId, Sym, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::row::{Fifo, Storage};
use pto_isa::text;
use pto_isa::{Diagnostic, Loc, codes};

/// A reserved buffer: the function that owns it, and its name there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ReservedBuffer {
    pub(super) owner: OpId,
    pub(super) name: Sym,
}

/// Where the address of a pipe's ring comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RingSource {
    /// A reserved buffer, own or imported.
    Buffer(ReservedBuffer),
    /// An import that names nothing; reported separately.
    Unresolved,
    /// A number, a parameter, or a computed address.
    Other,
}

/// The function that `peer_func` means.
enum Peer {
    Found(OpId),
    Missing,
    Ambiguous(Vec<OpId>),
}

/// The reserved and imported buffers of a program.
pub(super) struct ReservedBuffers<'a> {
    program: &'a LocatedProgram<'a>,
    functions: Vec<OpId>,
    reserved: Vec<OpId>,
    imported: Vec<OpId>,
}

impl<'a> ReservedBuffers<'a> {
    pub(super) fn collect(program: &'a LocatedProgram<'a>) -> Self {
        let module = program.module;
        let (mut reserved, mut imported) = (Vec::new(), Vec::new());
        module.walk(module.top, &mut |id| match module.fifo(id) {
            Some(Fifo::Reserve) => reserved.push(id),
            Some(Fifo::Import) => imported.push(id),
            _ => {}
        });
        Self { program, functions: module.functions(), reserved, imported }
    }

    pub(super) fn check(&self, problems: &mut Vec<Diagnostic>) {
        self.unique(&self.reserved, |id| self.name(id), text!("reserves"), problems);
        let peer = |id| (self.name(id), self.program.module.symbol(id, "peer_func"));
        self.unique(&self.imported, peer, text!("imports"), problems);
        for &id in &self.reserved {
            problems.extend(self.placement(id));
            problems.extend(self.range(id));
            problems.extend(self.covered(id));
        }
        for &id in &self.imported {
            problems.extend(self.import(id));
        }
    }

    /// Where an address comes from.
    pub(super) fn source(&self, address: ValueId) -> RingSource {
        let Some(id) = self.program.module.definition(address) else { return RingSource::Other };
        let owner = match self.program.module.fifo(id) {
            Some(Fifo::Reserve) => self.program.site(id).function,
            Some(Fifo::Import) => match self.peer(id) {
                Peer::Found(owner) => Some(owner),
                Peer::Missing | Peer::Ambiguous(_) => None,
            },
            _ => return RingSource::Other,
        };
        match (owner, self.name(id)) {
            (Some(owner), Some(name)) => RingSource::Buffer(ReservedBuffer { owner, name }),
            _ => RingSource::Unresolved,
        }
    }

    fn name(&self, id: OpId) -> Option<Sym> {
        self.program.module.symbol(id, "name")
    }

    fn text(&self, id: OpId) -> &str {
        self.name(id).map_or("", |s| self.program.module.names.text(s))
    }

    /// No two operations of a function have the same key.
    fn unique<K: std::hash::Hash + Eq>(
        &self,
        list: &[OpId],
        key: impl Fn(OpId) -> K,
        verb: &str,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut first: FastMap<(Option<OpId>, K), OpId> = FastMap::default();
        for &id in list {
            let before = *first.entry((self.program.site(id).function, key(id))).or_insert(id);
            if before != id {
                let message = text!("the function {verb} \"{id}\" twice", verb, id = self.text(id));
                let d = self.program.problem(codes::FIFO_RESERVE, id, message);
                let d = d
                    .legal(text!("a name once per function"))
                    .label(head(self.program.module, before), text!("the first time"));
                problems.push(d.help(text!("use the value of the first one, or another name")));
            }
        }
    }

    /// A function places all of its memory or none of it.
    fn placement(&self, id: OpId) -> Option<Diagnostic> {
        let planned = self.program.flag(id, "auto")?;
        let based = self.program.module.int(id, "base").is_some();
        let manual = self.program.info.manual[id.index()];
        let (message, legal, help) = if planned && based {
            (
                text!("`base` is given although `auto = true`"),
                text!("`base` exactly when `auto = false`"),
                "remove `base`",
            )
        } else if !planned && !manual && self.allocates(id) {
            let message = text!("a fixed `base` in a function whose tiles have no addresses");
            (
                message,
                text!("all addresses given, or none"),
                text!("write `auto = true`, or give every tile its address"),
            )
        } else if planned && manual {
            let message = text!("`auto = true` in a function that places its tiles itself");
            (message, text!("all addresses given, or none"), text!("write `auto = false` and the address as `base`"))
        } else {
            return None;
        };
        Some(self.program.problem(codes::FIFO_RESERVE, id, message).legal(legal).help(help))
    }

    /// The function around an operation allocates tiles.
    fn allocates(&self, id: OpId) -> bool {
        let module = self.program.module;
        let mut found = false;
        for block in self.program.site(id).function.iter().flat_map(|&f| crate::structure::blocks_of(module, f)) {
            module.walk(block, &mut |o| {
                found |= matches!(module.storage(o), Some(Storage::Tile | Storage::Tiles | Storage::Buffer));
            });
        }
        found
    }

    /// A buffer with an address lies inside its memory.
    fn range(&self, id: OpId) -> Option<Diagnostic> {
        let Some(Attr::Enum(def, at)) = self.program.module.attr(id, "location") else { return None };
        let space = self.program.info.target.profile().space(Loc::parse(def.value(usize::from(*at)))?)?;
        let size = u64::try_from(self.program.module.int(id, "size")?).ok()?;
        let base = u64::try_from(self.program.module.int(id, "base").unwrap_or(0)).ok()?;
        if base % space.align != 0 {
            let d = self.program.problem(codes::MISALIGNED, id, text!("the reserved buffer starts at {base}", base));
            return Some(d.legal(text!("a multiple of {align} in {name}", align = space.align, name = space.name)));
        }
        let end = base.checked_add(size);
        let d = || {
            let message =
                text!("a buffer of {size} bytes at {base} ends outside {name}", size, base, name = space.name);
            self.program
                .problem(codes::OUT_OF_MEMORY, id, message)
                .legal(text!("{bytes} bytes in all", bytes = space.bytes))
        };
        end.is_none_or(|e| e > space.bytes).then(d)
    }

    /// The address range of a buffer with an address.
    fn place(&self, id: OpId) -> Option<AddressRange> {
        let Some(Attr::Enum(def, at)) = self.program.module.attr(id, "location") else { return None };
        let number = |attr: &str| self.program.module.int(id, attr).and_then(|n| u64::try_from(n).ok());
        let (loc, start) = (Loc::parse(def.value(usize::from(*at)))?, number("base")?);
        Some(AddressRange { loc, start, end: start.saturating_add(number("size")?) })
    }

    /// Tiles that overlap a buffer with an address: pops overwrite them, or they overwrite entries.
    fn covered(&self, id: OpId) -> Vec<Diagnostic> {
        let LocatedProgram { module, info, .. } = *self.program;
        let (Some(ring), Some(function)) = (self.place(id), self.program.site(id).function) else { return Vec::new() };
        let mut problems = Vec::new();
        module.walk_inside(function, &mut |tile| {
            let result = module.results(tile).next();
            let place = result.and_then(|tile| AddressRange::of(module, info, tile)).filter(|p| p.overlaps(&ring));
            problems.extend(place.map(|p| {
                let message = text!(
                    "a tile at {start} to {end} in the reserved buffer at {start2} to {end2}",
                    start = p.start,
                    end = p.end,
                    start2 = ring.start,
                    end2 = ring.end
                );
                let d = self.program.problem(codes::FIFO_RESERVE, tile, message).warning();
                let d = d.label(head(module, id), text!("\"{id}\" is reserved here", id = self.text(id)));
                d.help(text!("give the tile another address, unless the pipe is not in use while the tile is"))
            }));
        });
        problems
    }

    /// An import names one function that reserves a buffer of that name.
    fn import(&self, id: OpId) -> Option<Diagnostic> {
        let module = self.program.module;
        let peer = module.symbol(id, "peer_func").map(|s| module.names.text(s))?;
        let report = |message| self.program.problem(codes::FIFO_RESERVE, id, message);
        match self.peer(id) {
            Peer::Found(owner) => {
                let name = self.name(id)?;
                let there = |&r: &OpId| self.program.site(r).function == Some(owner) && self.name(r) == Some(name);
                let d = || {
                    report(text!("`@{peer}` reserves no buffer \"{id}\"", peer, id = self.text(id)))
                        .label(head(module, owner), text!("the peer"))
                        .legal(self.names_of(owner))
                        .help(text!("reserve it there with `pto.reserve_buffer` under the same name"))
                };
                (!self.reserved.iter().any(there)).then(d)
            }
            Peer::Missing => Some(
                report(text!("there is no function `@{peer}` that can be the peer", peer))
                    .legal(text!("a function of this module, or a public function of a neighbouring one"))
                    .help(text!(
                        "private functions of other modules do not count; `pto.ptodsl.logical_name` makes an alias"
                    )),
            ),
            Peer::Ambiguous(list) => {
                let d = report(text!("`@{peer}` may be any of {len} functions", peer, len = list.len()));
                let d = d.legal(text!("one public function of that name in the neighbouring modules"));
                Some(
                    list.iter()
                        .fold(d, |d, &f| d.label(head(module, f), text!("one of them")))
                        .help(text!("rename all but one")),
                )
            }
        }
    }

    fn names_of(&self, function: OpId) -> String {
        let own = self.reserved.iter().filter(|&&r| self.program.site(r).function == Some(function));
        let names: Vec<&str> = own.map(|&r| self.text(r)).collect();
        if names.is_empty() {
            text!("it reserves none").to_string()
        } else {
            text!("it reserves: {names}", names = names.join(", "))
        }
    }

    /// A function of the same module by name, else the only public function with that name, or an alias of it, in the
    /// enclosing module.
    fn peer(&self, import: OpId) -> Peer {
        let Some(name) = self.program.module.symbol(import, "peer_func") else { return Peer::Missing };
        let home = self.program.site(import).container;
        let named = |f: OpId| self.program.module.symbol(f, "sym_name") == Some(name);
        let here = self.functions.iter().copied().find(|&f| self.program.site(f).container == home && named(f));
        if let Some(found) = here {
            return Peer::Found(found);
        }
        let alias = |f: OpId| self.program.module.symbol(f, "pto.ptodsl.logical_name") == Some(name);
        let around = |&f: &OpId| self.is_near(home, f) && !self.is_private(f) && (named(f) || alias(f));
        let all: Vec<OpId> = self.functions.iter().copied().filter(around).collect();
        match all[..] {
            [] => Peer::Missing,
            [one] => Peer::Found(one),
            _ => Peer::Ambiguous(all),
        }
    }

    /// The function is somewhere in the module around `home`.
    fn is_near(&self, home: Option<OpId>, function: OpId) -> bool {
        let Some(home) = home else { return false };
        let outer = self.program.site(home).container;
        let alone = self.program.module.block(self.program.module.top).ops.len() == 1;
        let mut at = self.program.site(function).container;
        while at != outer {
            let Some(container) = at else { return false };
            at = self.program.site(container).container;
        }
        outer.is_some() || !alone
    }

    fn is_private(&self, function: OpId) -> bool {
        let module = self.program.module;
        module.symbol(function, "sym_visibility").is_some_and(|s| module.names.text(s) == "private")
    }
}
