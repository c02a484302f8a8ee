//! The memory that this machine can still give.

use pto_isa::text;
use pto_isa::{Diagnostic, Span, codes};

/// Smaller allocations are not checked.
const SMALL: u64 = 64 << 20;

/// Bytes that can be had without pushing anything else out: what the system says is available, or less where a control group
/// allows less. `None` where the system does not say.
pub fn available_memory() -> Option<u64> {
    #[cfg(target_arch = "wasm32")]
    return Some((4 << 30) - ((std::arch::wasm32::memory_size::<0>() as u64) << 16));
    #[cfg(not(target_arch = "wasm32"))]
    system_memory()
}

#[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a module has no system to ask"))]
fn system_memory() -> Option<u64> {
    let system = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| meminfo(&text));
    [system, group_v2(), group_v1()].into_iter().flatten().min()
}

/// True for so few bytes that there is always room for them.
pub(crate) fn is_small(bytes: u64) -> bool {
    bytes < SMALL
}

/// An error when this many bytes for a purpose exceed the memory of the machine.
///
/// # Errors
/// [`RUN_MEMORY`](codes::RUN_MEMORY), with both sizes.
pub fn has_room(bytes: u64, what: &str, span: Span) -> Result<(), Diagnostic> {
    if is_small(bytes) {
        return Ok(());
    }
    match available_memory() {
        Some(available) if bytes > available => Err(too_large(bytes, available, what, span)),
        _ => Ok(()),
    }
}

fn too_large(bytes: u64, available: u64, what: &str, span: Span) -> Diagnostic {
    let message = text!(
        "{what} need {size}, and this machine has {size2} left",
        what,
        size = size(bytes),
        size2 = size(available)
    );
    Diagnostic::new(codes::RUN_MEMORY, span, message)
}

/// A number of bytes for people.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = (0..UNITS.len() - 1).find(|k| bytes >> (10 * k) < 1024).unwrap_or(UNITS.len() - 1);
    match unit {
        0 => format!("{bytes} bytes"),
        _ => format!("{:.1} {}", bytes as f64 / (1u64 << (10 * unit)) as f64, UNITS[unit]),
    }
}

fn meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What is left of a limit. A file that holds no number, such as `max`, is no limit.
fn left(limit: &str, used: &str) -> Option<u64> {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    Some(number(limit)?.saturating_sub(number(used).unwrap_or(0)))
}

/// The group of this process and those around it.
fn group_v2() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let around = std::path::Path::new(own).ancestors().map(|path| {
        let folder = format!("/sys/fs/cgroup{}", path.display().to_string().trim_end_matches('/'));
        left(&format!("{folder}/memory.max"), &format!("{folder}/memory.current"))
    });
    around.flatten().min()
}

fn group_v1() -> Option<u64> {
    const FOLDER: &str = "/sys/fs/cgroup/memory";
    left(&format!("{FOLDER}/memory.limit_in_bytes"), &format!("{FOLDER}/memory.usage_in_bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_what_is_available() {
        let text = "MemTotal:       32000000 kB\nMemFree:  5 kB\nMemAvailable:   16000000 kB\n";
        assert_eq!(meminfo(text), Some(16_000_000 * 1024));
        assert_eq!(meminfo("MemAvailable: many"), None);
    }

    #[test]
    fn sizes_are_for_people() {
        assert_eq!(size(1000), "1000 bytes");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(4 << 40), "4.0 TiB");
        assert_eq!(size(u64::MAX), "16.0 EiB");
    }

    #[test]
    fn nobody_has_so_much() {
        let problem = has_room(u64::MAX, "the arguments", Span::default());
        if available_memory().is_some() {
            assert_eq!(problem.expect_err("too much").code, codes::RUN_MEMORY);
        }
        assert!(has_room(1 << 20, "the arguments", Span::default()).is_ok());
    }
}
