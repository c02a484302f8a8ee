//! Calls that pass two tiles with shared memory to a function, if an instruction of the function forbids that.

use crate::Info;
use crate::overlap::{OperandCheck, SharedParams, is_work};
use crate::places::{Linear, Overlap, TileAddresses, TileExtent, TileHome, Window};
use pto_ir::{Module, OpId, Operand, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::ordered::OrdSet;
use pto_isa::text;
use pto_isa::{Diagnostic, Span};

/// Calls with more tiles than this are not analysed.
const MANY_TILES: usize = 32;

pub(crate) fn check(
    module: &Module,
    order: &[OpId],
    info: &Info,
    places: &TileAddresses<'_>,
    problems: &mut Vec<Diagnostic>,
) {
    let calls = module.calls();
    let mut check = SharedCheck { module, info, places, calls, known: FastMap::default() };
    for &call in order {
        for (pair, given) in check.pairs(call, |a, b| how(places, a, b, call)) {
            check.follow(call, &pair, given, problems);
        }
    }
}

/// How two arguments share memory: completely or in part.
fn how(places: &TileAddresses<'_>, a: &Operand, b: &Operand, call: OpId) -> Option<Overlap> {
    let (x, y) = (places.window(a.value, call)?, places.window(b.value, call)?);
    match x.overlap(TileExtent::Valid, &y) {
        Overlap::Same if x.pitch() == y.pitch() => Some(Overlap::Same),
        Overlap::Partial(bytes) => Some(Overlap::Partial(bytes)),
        _ => None,
    }
}

/// The spans of two arguments.
type SpanPair = (Span, Span);

/// The effect of a function on two tiles that share memory.
#[derive(Default)]
struct SharedUse {
    /// Problems, and the instructions they are about.
    found: Vec<(Diagnostic, Span)>,
    /// Calls that get both tiles.
    handed: Vec<(OpId, SharedParams)>,
}

/// A function, two of its parameters, and how many bytes they share, if not all.
type SharedKey = (OpId, (ValueId, ValueId), Option<u64>);

struct SharedCheck<'a> {
    module: &'a Module,
    info: &'a Info,
    places: &'a TileAddresses<'a>,
    calls: FastMap<OpId, OpId>,
    known: FastMap<SharedKey, SharedUse>,
}

impl SharedCheck<'_> {
    /// The arguments of a call that share memory, and the parameters that they become.
    fn pairs(&self, call: OpId, how: impl Fn(&Operand, &Operand) -> Option<Overlap>) -> Vec<(SpanPair, SharedParams)> {
        let (module, mut found) = (self.module, Vec::new());
        let Some(body) = self.calls.get(&call).and_then(|f| module.op_regions(*f).first()) else { return found };
        let Some(block) = module.region(*body).blocks.first() else { return found };
        let parameters = module.block(*block).args.iter().copied();
        let tiles: Vec<(&Operand, ValueId)> = module.operands(call).iter().zip(parameters).collect();
        let tiles: Vec<_> = tiles.into_iter().filter(|(_, p)| module.tile(*p).is_some()).take(MANY_TILES).collect();
        for (n, (a, p)) in tiles.iter().enumerate() {
            for (b, q) in &tiles[..n] {
                found.extend(how(a, b).map(|how| ((a.span, b.span), SharedParams { tiles: (*p, *q), how })));
            }
        }
        found
    }

    /// Analyses a function that gets such tiles, and its callees.
    fn follow(&mut self, call: OpId, pair: &SpanPair, given: SharedParams, problems: &mut Vec<Diagnostic>) {
        let mut seen = OrdSet::new();
        let mut open = vec![(call, given)];
        while let Some((at, given)) = open.pop() {
            let Some(&function) = self.calls.get(&at) else { continue };
            let bytes = match given.how {
                Overlap::Partial(bytes) => Some(bytes),
                _ => None,
            };
            let key = (function, given.tiles, bytes);
            if !seen.insert(key) {
                continue;
            }
            if !self.known.contains_key(&key) {
                let body = self.body(function, given);
                self.known.insert(key, body);
            }
            let Some(body) = self.known.get(&key) else { continue };
            problems.extend(body.found.iter().map(|(d, inside)| at_the_call(d.clone(), pair, *inside)));
            open.extend(&body.handed);
        }
    }

    /// The problems in the body of a function, and its calls with these tiles.
    fn body(&self, function: OpId, given: SharedParams) -> SharedUse {
        let (module, (p, q)) = (self.module, given.tiles);
        let (mut inner, mut body) = (Vec::new(), SharedUse::default());
        module.walk_inside(function, &mut |id| inner.push(id));
        for id in inner {
            if is_work(module, id) {
                let (places, info, row) = (self.places, self.info, module.op(id).op.row());
                let mut found = Vec::new();
                OperandCheck { module, info, places, id, row, given: Some(given), windows: None }.run(&mut found);
                body.found.extend(found.into_iter().map(|d| (d, module.op(id).name_span)));
            } else if self.calls.contains_key(&id) {
                let handed_on = |a: &Operand, b: &Operand| {
                    let is = |o: &Operand, p| self.is_whole(o.value, p, id);
                    (is(a, p) && is(b, q) || is(a, q) && is(b, p)).then_some(given.how)
                };
                body.handed.extend(self.pairs(id, handed_on).into_iter().map(|(_, given)| (id, given)));
            }
        }
        body
    }

    /// True when a tile is a whole parameter.
    fn is_whole(&self, tile: ValueId, parameter: ValueId, at: OpId) -> bool {
        let whole = |ty| Window::whole(TileHome::Tile(parameter), Linear::default(), ty);
        let ty = self.module.tile(parameter).copied();
        ty.map(whole).is_some_and(|whole| self.places.window(tile, at) == Some(whole))
    }
}

/// A problem in the function, reported at the call.
fn at_the_call(d: Diagnostic, (one, other): &SpanPair, inside: Span) -> Diagnostic {
    let mut d = d;
    d.primary.span = *one;
    d.labels.clear();
    d.message += text!(", because two arguments of the function share memory");
    d.label(*other, text!("here and there")).label(inside, text!("in this instruction"))
}
