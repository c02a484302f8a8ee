//! `info`: cores, pipes, flags, memories, values and stops as text.

use super::index::{SyncKey, last_before};
use super::session::{DebugSession, short_name};
use super::stops::{StopOn, WatchTarget};
use pto::cpu::{CoreId, Role};
use pto::isa::sort::SharedSort;
use pto::isa::{Loc, text};
use pto::trace::MemoryId;
use std::ops::Range;

/// A tile in a memory of the chosen core.
#[derive(Clone, Debug)]
pub(crate) struct TileInMemory {
    /// Its name, without `%`.
    pub(crate) name: String,
    pub(crate) loc: Loc,
    pub(crate) bytes: Range<i64>,
    /// Rows, columns and type.
    pub(crate) shape: String,
    /// The last moment that wrote to it.
    pub(crate) writer: Option<usize>,
}

impl DebugSession<'_> {
    pub(crate) fn info_cores(&self) -> String {
        let rows = self.recording.cores().iter().map(|core| {
            let mark = if *core == self.core { "*" } else { " " };
            let (done, all, next) = self.core_state(*core);
            vec![format!("{mark} {}", self.core_name(*core)), format!("{done}/{all}"), next]
        });
        table(&[text!("core"), text!("done"), text!("next")], rows.collect())
    }

    /// How far a core is: moments done, all of them, and what is next.
    pub(crate) fn core_state(&self, core: CoreId) -> (usize, usize, String) {
        let moments = self.recording.moments_of(core);
        let done = super::index::before(moments, self.position);
        let next = match self.pending_of(core).map(|at| self.recording.moment(at)) {
            Some(moment) => format!("{}: {}", moment.line, self.line_text(moment.line)),
            None => text!("finished").to_string(),
        };
        (done, moments.len(), next)
    }

    pub(crate) fn info_pipes(&self) -> String {
        let rows = self.index.pipes(self.core).map(|(pipe, list)| {
            let done = super::index::before(list, self.position);
            let line = |at: Option<usize>| match at.map(|at| self.recording.moment(at)) {
                Some(moment) => format!("{}: {}", moment.line, self.line_text(moment.line)),
                None => "–".to_string(),
            };
            let (last, next) = (last_before(list, self.position), list.get(done).map(|m| *m as usize));
            vec![pipe.to_string(), format!("{done}/{}", list.len()), line(last), line(next)]
        });
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return text!("no pipe is used").to_string();
        }
        table(&[text!("pipe"), text!("done"), text!("last"), text!("next")], rows)
    }

    pub(crate) fn info_flags(&self) -> String {
        let rows: Vec<Vec<String>> = self.sync_rows();
        if rows.is_empty() {
            return text!("no flags, tokens, signals or FIFO pipes are used").to_string();
        }
        table(&[text!("what"), text!("state"), text!("last changed by")], rows)
    }

    /// Flags, tokens, signals and FIFO pipes: name, state, and who changed it last.
    pub(crate) fn sync_rows(&self) -> Vec<Vec<String>> {
        let rows = self.index.sync(self.core).map(|(key, history)| {
            let (given, taken) = history.counts(self.position);
            let open = given.saturating_sub(taken);
            let (what, state) = match key {
                SyncKey::Flag(_, flag) => {
                    let name = format!("{} → {} {}", flag.src, flag.dst, flag.id);
                    (name, if open > 0 { text!("set").to_string() } else { text!("clear").to_string() })
                }
                SyncKey::Token(_, id) => {
                    let state = if open > 0 { text!("taken") } else { text!("free") };
                    (text!("token {id}", id), state.to_string())
                }
                SyncKey::Fifo(.., key) => {
                    (text!("FIFO pipe {key}", key), text!("pushed {given}, popped {taken}", given, taken))
                }
                SyncKey::Signal(id) => (text!("signal {id}", id), text!("sent {given}, awaited {taken}", given, taken)),
            };
            let last = history.last(self.position).map(|at| self.recording.moment(at));
            let last = last.map_or("–".to_string(), |m| format!("{}: {}", m.line, self.line_text(m.line)));
            vec![what, state, last]
        });
        rows.collect()
    }

    /// The tiles of the chosen core that have a place now, by memory and address.
    pub(crate) fn placed_tiles(&mut self) -> Vec<TileInMemory> {
        let (core, at) = (self.core, self.at());
        let module = self.recording.module();
        let tiles: Vec<_> = self.recording.values().filter_map(|v| Some((v.id, v.name, module.tile(v.id)?))).collect();
        let mut placed = Vec::new();
        for (id, name, ty) in tiles {
            let Some((MemoryId::Core(_, loc), bytes)) = self.memory_of_value(core, id, at) else { continue };
            let writer = self.last_writer(MemoryId::Core(core, loc), &bytes);
            let shape = format!("{}x{} {}", ty.rows, ty.cols, ty.dtype);
            placed.push(TileInMemory { name: name.to_string(), loc, bytes, shape, writer });
        }
        placed.shared_sort_by_key(|t| (t.loc as u8, t.bytes.start, t.bytes.end));
        placed
    }

    pub(crate) fn info_memory(&mut self) -> String {
        let tiles = self.placed_tiles();
        if tiles.is_empty() {
            return text!("no tile has a place yet").to_string();
        }
        let rows = tiles.iter().map(|tile| {
            let writer = match tile.writer {
                Some(at) => text!("moment {at}, line {line}", at, line = self.recording.moment(at).line),
                None => "–".to_string(),
            };
            let bytes = &tile.bytes;
            vec![
                self.memory_and_room(tile.loc, bytes.start),
                format!("{:#x}:{:#x}", bytes.start, bytes.end),
                format!("%{}", tile.name),
                tile.shape.clone(),
                writer,
            ]
        });
        let rows = rows.collect();
        table(&[text!("memory"), text!("bytes"), text!("tile"), text!("type"), text!("written by")], rows)
    }

    /// The name of a memory; tiles without an address lie after its end.
    pub(crate) fn memory_and_room(&self, loc: Loc, start: i64) -> String {
        let name = loc.memory();
        if start >= self.capacity(loc) { text!("{name}, no address", name) } else { name.to_string() }
    }

    /// Bytes of a memory.
    pub(crate) fn capacity(&self, loc: Loc) -> i64 {
        self.recording.source().target.profile().space(loc).map_or(0, |space| space.bytes as i64)
    }

    pub(crate) fn info_values(&mut self) -> String {
        let (core, at) = (self.core, self.at());
        let all: Vec<_> = self.recording.values().map(|v| (v.id, v.name, v.ty.to_string())).collect();
        let mut rows = Vec::new();
        for (id, name, ty) in all {
            let Some(contents) = self.player.part(core, id, at, 0..1, 0..4) else { continue };
            let cols = contents.col_range.clone();
            let shown: Vec<String> =
                cols.map(|c| {
                    if contents.is_written(0, c) { super::show::element(&contents, 0, c) } else { "·".to_string() }
                })
                .collect();
            let more = if contents.rows * contents.cols > shown.len() { " …" } else { "" };
            rows.push(vec![format!("%{name}"), ty, shown.join(" ") + more]);
        }
        if rows.is_empty() {
            return text!("no value is known here").to_string();
        }
        table(&[text!("value"), text!("type"), text!("numbers")], rows)
    }

    pub(crate) fn info_stops(&self) -> String {
        if self.stops.is_empty() {
            return text!("no breakpoints or watchpoints").to_string();
        }
        let rows = self.stops.iter().map(|stop| {
            let what = match &stop.on {
                StopOn::Line { line, condition: None } => text!("line {line}", line),
                StopOn::Line { line, condition: Some((condition, _)) } => {
                    text!("line {line} if {condition}", line, condition)
                }
                StopOn::Write { text, target } => {
                    let core = match target {
                        WatchTarget::Memory { core, .. } | WatchTarget::Scalar { core, .. } => Some(*core),
                        WatchTarget::Bytes(MemoryId::Core(core, _), _) => Some(*core),
                        WatchTarget::Bytes(..) => None,
                    };
                    let many = self.recording.cores().len() > 1;
                    match core.filter(|_| many) {
                        Some(core) => text!("writes to {what} on {core}", what = text, core = self.core_name(core)),
                        None => text!("writes to {what}", what = text),
                    }
                }
            };
            vec![stop.number.to_string(), what, stop.hits.to_string()]
        });
        table(&["#", text!("stops at"), text!("hits")], rows.collect())
    }

    /// What was run, and how it ended.
    pub(crate) fn info_run(&self) -> String {
        let source = self.recording.source();
        let (name, target) = (&source.name, source.target);
        let (count, cores) = (crate::counts::instructions(self.recording.len() as u64), self.recording.cores().len());
        let mut lines = vec![match cores {
            1 => text!("{name} for {target}: {count} on 1 core", name, target, count),
            _ => text!("{name} for {target}: {count} on {cores} cores", name, target, count, cores),
        }];
        lines.extend(self.recording.left_out());
        if let Some(failure) = self.recording.outcome() {
            let (code, message) = (failure.code.id(), &failure.message);
            lines.push(text!("the run failed: {code}: {message}", code, message));
        }
        lines.join("\n")
    }

    /// Chooses a core of the current block by name.
    pub(crate) fn choose_core(&mut self, name: &str) -> Result<String, String> {
        let here = self.core;
        let of_block = |c: &&CoreId| (c.rank, c.block) == (here.rank, here.block);
        let cores = self.recording.cores();
        let wanted = |c: &&CoreId| short_name(**c) == name || (name == "vec" && c.role == Role::Vector);
        match cores.iter().filter(of_block).find(wanted) {
            Some(core) => {
                self.core = *core;
                Ok(self.here())
            }
            None => {
                let mut names: Vec<String> = cores.iter().filter(of_block).map(|c| short_name(*c)).collect();
                names.shared_sort();
                Err(text!("there is no core `{name}` in this block; there are {names}", name, names = names.join(", ")))
            }
        }
    }

    /// Chooses a block or a rank, and there the same core.
    pub(crate) fn choose_block(&mut self, rank: u32, block: u32) -> Result<String, String> {
        let here = self.core;
        let of_block = |c: &&CoreId| (c.rank, c.block) == (rank, block);
        let cores = self.recording.cores();
        let same = cores.iter().filter(of_block).find(|c| (c.role, c.sub) == (here.role, here.sub));
        match same.or_else(|| cores.iter().find(of_block)) {
            Some(core) => {
                self.core = *core;
                Ok(self.here())
            }
            None if rank != here.rank => Err(text!("there is no rank {number}", number = rank)),
            None => Err(text!("there is no block {number}", number = block)),
        }
    }
}

/// Columns under their titles.
fn table(titles: &[&str], rows: Vec<Vec<String>>) -> String {
    let length = |text: &str| text.chars().map(|c| if c > '\u{2e80}' { 2 } else { 1 }).sum::<usize>();
    let header: Vec<String> = titles.iter().map(|t| t.to_string()).collect();
    let all: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    let widths: Vec<usize> =
        (0..titles.len()).map(|c| all.iter().map(|row| length(&row[c])).max().unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - length(cell))))
            .collect();
        cells.join("  ").trim_end().to_string()
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}
