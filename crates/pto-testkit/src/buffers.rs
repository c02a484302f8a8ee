//! Memory for the parameters of a program.

use pto::Plan;
use pto::cpu::{Known, ParamKind};

/// Zeros of the size that the program needs, where parameters that are numbers have this one.
pub fn buffers(plan: &Plan, number: i64) -> Vec<Vec<u8>> {
    let is_number = |kind: &ParamKind| matches!(kind, ParamKind::Scalar(_));
    let known = |kind: &ParamKind| if is_number(kind) { Known::Int(number) } else { Known::Nothing };
    let known: Vec<Known> = plan.params().iter().map(|p| known(&p.kind)).collect();
    let measure = plan.launch().measure(&known).expect("it can be followed");
    let bytes = |at: usize| {
        let elements = measure.extents[at].as_ref().map_or(0, |e| e.elements);
        let bits = plan.params()[at].kind.elem().map_or(8, |d| d.column_bits());
        vec![0u8; (elements * u64::from(bits)).div_ceil(8) as usize]
    };
    (0..plan.params().len()).map(bytes).collect()
}
