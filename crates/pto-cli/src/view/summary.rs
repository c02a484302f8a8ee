//! What a recording holds, in a few lines.

use crate::files;
use crate::program::recorded::OpenedRecording;
use pto::cost::core_name;
use pto::ir::ValueId;
use pto::isa::ordered::OrdSet;
use pto::isa::{Type, text};
use pto::trace::Recording;
use serde::Serialize;
use std::fmt::Write as _;

/// What a recording holds.
#[derive(Serialize)]
pub(super) struct RecordingSummary {
    file: String,
    target: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    moments: usize,
    blocks: u32,
    cores: Vec<CoreSummary>,
    /// Lines that were executed.
    lines: Vec<u32>,
    /// Tiles that were read or written.
    tiles: Vec<TileSummary>,
    /// Bytes in memory, without the arguments of the program.
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<u64>,
    /// What was left out, as a sentence.
    left_out: Option<String>,
    /// How the run failed.
    failed: Option<RunFailure>,
}

#[derive(Serialize)]
struct CoreSummary {
    name: String,
    moments: usize,
}

#[derive(Serialize)]
struct TileSummary {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    moments: usize,
}

#[derive(Serialize)]
struct RunFailure {
    id: String,
    message: String,
}

/// The names of the cores, with blocks if there are several.
pub(super) fn core_names(recording: &Recording) -> Vec<String> {
    let cores = recording.cores();
    let several = cores.iter().any(|c| (c.rank, c.block) != (cores[0].rank, cores[0].block));
    cores.iter().map(|core| core_name(*core, several)).collect()
}

impl RecordingSummary {
    pub fn of(recorded: &OpenedRecording) -> Self {
        let recording = &recorded.recording;
        let source = recording.source();
        let mut lines = OrdSet::new();
        let mut used: Vec<(ValueId, usize)> = Vec::new();
        for at in 0..recording.len() {
            let moment = recording.moment(at);
            lines.insert(moment.line);
            let values: OrdSet<usize> = moment.accesses.iter().filter_map(|a| a.value).map(ValueId::index).collect();
            for value in values.into_iter().map(ValueId::from_index) {
                match used.iter_mut().find(|(known, _)| *known == value) {
                    Some((_, count)) => *count += 1,
                    None => used.push((value, 1)),
                }
            }
        }
        lines.remove(&0);
        let names = core_names(recording).into_iter().zip(recording.cores());
        let module = recording.module();
        let tile = |(value, moments): (ValueId, usize)| {
            let ty = module.value_type(value);
            ty.tile().map(|tile| TileSummary {
                name: format!("%{}", module.value_name(value)),
                ty: tile.to_string(),
                moments,
            })
        };
        used.retain(|(value, _)| matches!(module.value_type(*value), Type::Tile(_) | Type::TileBuf(_)));
        Self {
            file: source.name.clone(),
            target: source.target.name(),
            entry: source.entry.clone(),
            moments: recording.len(),
            blocks: recording.blocks(),
            cores: names.map(|(name, core)| CoreSummary { name, moments: recording.moments_of(*core).len() }).collect(),
            lines: lines.into_iter().collect(),
            tiles: used.into_iter().filter_map(tile).collect(),
            bytes: recording.bytes(),
            file_bytes: recorded.file_bytes,
            left_out: recording.left_out(),
            failed: recording.outcome().map(|d| RunFailure { id: d.code.id(), message: d.message.clone() }),
        }
    }

    pub fn text(&self) -> String {
        const MOST_CORES: usize = 12;
        let mut text = text!(
            "{file} on {target}: {moments} moments\n",
            file = self.file,
            target = self.target,
            moments = self.moments
        );
        let mut line = |name: &str, words: &str| {
            let _ = writeln!(text, "  {name}{} {words}", " ".repeat(10_usize.saturating_sub(width(name))));
        };
        if let Some(entry) = &self.entry {
            line(text!("function"), entry);
        }
        let cores: Vec<String> =
            self.cores.iter().take(MOST_CORES).map(|c| format!("{} ({})", c.name, c.moments)).collect();
        let more = if self.cores.len() > MOST_CORES { ", …" } else { "" };
        line(text!("cores"), &format!("{}: {}{more}", self.cores.len(), cores.join(", ")));
        line(text!("lines"), &ranges(&self.lines));
        for (at, tile) in self.tiles.iter().enumerate() {
            let name = if at == 0 { text!("tiles") } else { "" };
            line(
                name,
                &text!("{name}: {ty}, in {moments} moments", name = tile.name, ty = tile.ty, moments = tile.moments),
            );
        }
        let size = match self.file_bytes {
            Some(file) => text!(
                "{memory} in memory, {file} as a file",
                memory = files::size(self.bytes as usize),
                file = files::size(file as usize)
            ),
            None => text!("{memory} in memory", memory = files::size(self.bytes as usize)),
        };
        line(text!("size"), &size);
        if let Some(what) = &self.left_out {
            line(text!("left out"), what);
        }
        text
    }
}

/// Columns of a terminal; Chinese signs take two.
fn width(text: &str) -> usize {
    text.chars().map(|c| if c > '\u{2e80}' { 2 } else { 1 }).sum()
}

/// `3, 5-8`
fn ranges(lines: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => parts.push((line, line)),
        }
    }
    let part = |(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_ranges() {
        assert_eq!(ranges(&[3, 5, 6, 7, 9]), "3, 5-7, 9");
        assert_eq!(ranges(&[]), "");
    }
}
