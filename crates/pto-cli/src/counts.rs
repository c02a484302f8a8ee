//! Numbers of things, in the singular or the plural.

use pto::isa::text;

pub(crate) fn blocks(count: u64) -> String {
    if count == 1 { text!("1 block").to_string() } else { text!("{count} blocks", count) }
}

pub(crate) fn errors(count: usize) -> String {
    if count == 1 { text!("1 error").to_string() } else { text!("{count} errors", count) }
}

pub(crate) fn findings(count: usize) -> String {
    if count == 1 { text!("1 finding").to_string() } else { text!("{count} findings", count) }
}

pub(crate) fn instructions(count: u64) -> String {
    if count == 1 { text!("1 instruction").to_string() } else { text!("{count} instructions", count) }
}

pub(crate) fn programs(count: usize) -> String {
    if count == 1 { text!("1 program").to_string() } else { text!("{count} programs", count) }
}

pub(crate) fn warnings(count: usize) -> String {
    if count == 1 { text!("1 warning").to_string() } else { text!("{count} warnings", count) }
}
