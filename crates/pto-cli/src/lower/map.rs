//! The memories of a plan as a picture: addresses from the bottom up, the lines of the program from left to right.

use super::plan::PlanReport;
use pto::doc::escape;
use pto::ir::OpId;
use pto::isa::text;
use pto::opt::plan::{PlacedTile, PlannedSpace};
use pto::syntax::Lines;
use std::fmt::Write;

const STYLE: &str = include_str!("map.css");
const SCRIPT: &str = include_str!("map.js");
/// Pixels of a memory, from its first byte to its last.
const HEIGHT: f64 = 340.0;
/// The lowest box that has room for a name, and the lowest that has room for an address below it.
const ROOM: (f64, f64) = (16.0, 32.0);
/// Parts that the axis of bytes is divided into.
const PARTS: u64 = 8;
/// Lines that the other axis names, at most.
const MOST_TICKS: u32 = 12;
/// Colours of tiles; they only tell neighbours apart.
const COLOURS: usize = 6;

/// A self-contained page.
pub(super) fn page(report: &PlanReport<'_>) -> String {
    let name = escape(&report.read.source.name);
    let target = report.read.target;
    let title = text!("memory on {target}", target);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{name}: {title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}</style></head><body>\n<header><h1>{name}</h1><span>{title}: {}</span></header>\n<main>\n",
        text::language().tag(),
        escape(text::translate(target.profile().summary))
    );
    if report.planned.spaces.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", text!("Every tile has an address already."));
    } else {
        page += &legend();
    }
    let lines = Lines::new(&report.read.source.text);
    for space in &report.planned.spaces {
        page += &MemoryMap { report, lines: &lines, space }.section();
    }
    let _ = write!(page, "</main>\n<script>\n{SCRIPT}</script></body></html>\n");
    page
}

/// What the shapes mean.
fn legend() -> String {
    let entries = [
        ("c0", text!("a tile, from its first access to its last (colours only tell tiles apart)")),
        ("c0 live", text!("its bytes are still kept, for the next iteration of a loop")),
        ("kept", text!("buffers of FIFO pipes, and tiles that the program has placed")),
        ("kept hatched", text!("used by an instruction itself")),
    ];
    let entry = |(class, words): &(&str, &str)| format!("<span><i class=\"{class}\"></i>{words}</span>");
    format!("<div class=\"legend\">{}</div>\n", entries.iter().map(entry).collect::<String>())
}

/// One memory.
struct MemoryMap<'a> {
    report: &'a PlanReport<'a>,
    lines: &'a Lines,
    space: &'a PlannedSpace,
}

impl MemoryMap<'_> {
    fn section(&self) -> String {
        let PlannedSpace { loc, capacity, peak, needed, .. } = self.space;
        let how = if self.space.shared { text!("tiles share bytes") } else { text!("tiles lie side by side") };
        let title = loc.memory_and_name();
        let parts = self.bytes() + &self.plot() + &self.axis();
        let map = format!(
            "<div class=\"map\" role=\"img\" aria-label=\"{}\">\n{parts}</div>\n",
            text!("{title}: address by line of the program", title)
        );
        let sum =
            text!("{peak} of {capacity} bytes in use, {needed} needed at one time; {how}", peak, capacity, needed, how);
        format!("<section>\n<h2>{title}</h2><p>{sum}</p>\n{map}{}</section>\n", self.table())
    }

    /// The axis of bytes.
    fn bytes(&self) -> String {
        let part = self.space.capacity / PARTS;
        let tick = |k: u64| {
            format!(
                "<span style=\"bottom:{}%\">{} · {:#x}</span>",
                k as f64 / PARTS as f64 * 100.0,
                kib(k * part),
                k * part
            )
        };
        format!(
            "<div class=\"bytes\" style=\"height:{HEIGHT}px\">{}</div>\n",
            (0..=PARTS).map(tick).collect::<String>()
        )
    }

    fn plot(&self) -> String {
        let mut out = format!("<div class=\"plot\" style=\"height:{HEIGHT}px\">\n");
        for k in 1..PARTS {
            let _ = write!(out, "<div class=\"grid\" style=\"bottom:{}%\"></div>", k as f64 / PARTS as f64 * 100.0);
        }
        let used = self.report.planned.used.iter().map(|u| u.memory).filter(|m| m.loc == self.space.loc);
        if self.space.reserved > 0 {
            out += &self.kept("kept", (0, self.space.reserved), text!("reserved"));
        }
        for memory in used.filter(|m| m.start >= self.space.reserved) {
            out += &self.kept("kept hatched", (memory.start, memory.end), text!("used by an instruction"));
        }
        for (at, tile) in self.space.tiles.iter().enumerate() {
            out += &self.tile(at, tile);
        }
        let _ = writeln!(
            out,
            "<div class=\"peak\" style=\"bottom:{:.2}%\"><span>{}</span></div>",
            self.up(self.space.peak),
            text!("highest byte in use: {peak}", peak = kib(self.space.peak))
        );
        out + "</div>\n"
    }

    fn kept(&self, class: &str, (start, end): (u64, u64), word: &str) -> String {
        let (bottom, height) = (self.up(start), self.up(end) - self.up(start));
        let text = if height / 100.0 * HEIGHT < ROOM.0 { "" } else { word };
        format!(
            "<div class=\"{class}\" style=\"bottom:{bottom:.2}%;height:{height:.2}%\" title=\"{start:#x}–{end:#x} ({}): {word}\">{text}</div>\n",
            kib(end - start)
        )
    }

    /// How high a byte lies, in percent.
    fn up(&self, byte: u64) -> f64 {
        byte as f64 / self.space.capacity as f64 * 100.0
    }

    fn tile(&self, at: usize, tile: &PlacedTile) -> String {
        let (bottom, height) = (self.up(tile.address), self.up(tile.address + tile.bytes) - self.up(tile.address));
        let pixels = height / 100.0 * HEIGHT;
        let (name, colour) = (escape(&tile.name), at % COLOURS);
        let shape = |class: &str, (first, last): (u32, u32), inner: &str, tip: &str| {
            let (left, right) = (self.across(first), self.across(last + 1));
            format!(
                "<div class=\"{class} c{colour}\" data-tile=\"{at}\" style=\"left:{left:.2}%;width:{:.2}%;bottom:{bottom:.2}%;height:max(2px,{height:.2}%)\"{tip}>{inner}</div>\n",
                right - left
            )
        };
        let label = if pixels < ROOM.0 { String::new() } else { format!("<b>%{name}</b>") };
        let address = if pixels < ROOM.1 {
            String::new()
        } else {
            format!("<small>{:#x} · {}</small>", tile.address, kib(tile.bytes))
        };
        let tip = format!(" title=\"{}\"", escape(&self.words(tile)));
        let live =
            if self.live(tile) == self.accessed(tile) { String::new() } else { shape("live", self.live(tile), "", "") };
        live + &shape("tile", self.accessed(tile), &(label + &address), &tip)
    }

    fn words(&self, tile: &PlacedTile) -> String {
        let (first, last) = self.accessed(tile);
        let PlacedTile { name, address, bytes, .. } = tile;
        text!(
            "%{name}: {address} to {end} ({bytes} bytes), lines {first} to {last}",
            name,
            address = format_args!("{address:#x}"),
            end = format_args!("{:#x}", address + bytes),
            bytes,
            first,
            last
        )
    }

    fn line(&self, id: OpId) -> u32 {
        self.report.line(self.lines, id)
    }

    /// The lines of the first and the last access.
    fn accessed(&self, tile: &PlacedTile) -> (u32, u32) {
        let (first, last) = (self.line(tile.first), self.line(tile.last));
        (first.min(last), first.max(last))
    }

    /// The lines in which its bytes belong to it: a loop may need them until its end.
    fn live(&self, tile: &PlacedTile) -> (u32, u32) {
        let (first, last) = self.accessed(tile);
        let end = self.report.module.op(tile.live_ops.1).span.end;
        (first.min(self.line(tile.live_ops.0)), last.max(self.lines.locate(end.saturating_sub(1)).0))
    }

    /// The lines that the picture shows.
    fn range(&self) -> (u32, u32) {
        let all = || self.space.tiles.iter().map(|t| self.live(t));
        (all().map(|l| l.0).min().unwrap_or(1), all().map(|l| l.1).max().unwrap_or(1))
    }

    /// Where a line begins, in percent.
    fn across(&self, line: u32) -> f64 {
        let (first, last) = self.range();
        f64::from(line - first) / f64::from(last + 1 - first) * 100.0
    }

    /// The axis of lines.
    fn axis(&self) -> String {
        let (first, last) = self.range();
        let step = [1, 2, 5]
            .into_iter()
            .flat_map(|k| (0..6).map(move |e| k * 10u32.pow(e)))
            .filter(|s| (last - first) / s <= MOST_TICKS)
            .min()
            .unwrap_or(1_000_000);
        let tick = |line: u32| {
            format!("<span style=\"left:{:.2}%\">{line}</span>", (self.across(line) + self.across(line + 1)) / 2.0)
        };
        let ticks: String = (first.next_multiple_of(step)..=last).step_by(step as usize).map(tick).collect();
        format!("<div class=\"lines\">{ticks}<span class=\"unit\">{}</span></div>\n", text!("line of the program"))
    }

    /// Every tile in words: small ones have no room for a name in the picture.
    fn table(&self) -> String {
        let row = |(at, t): (usize, &PlacedTile)| {
            let (first, last) = self.accessed(t);
            let over = t.takes_over.map_or_else(String::new, |v| {
                text!("in place of %{name}", name = escape(self.report.module.value_name(v)))
            });
            format!(
                "<tr data-tile=\"{at}\"><td><i class=\"c{}\"></i>%{}</td><td>{:#x}</td><td>{:#x}</td><td>{}</td><td>{first}–{last}</td><td>{over}</td></tr>\n",
                at % COLOURS,
                escape(&t.name),
                t.address,
                t.address + t.bytes,
                t.bytes
            )
        };
        let rows: String = self.space.tiles.iter().enumerate().map(row).collect();
        let head = [text!("tile"), text!("address"), text!("end"), text!("bytes"), text!("lines"), ""];
        let head: String = head.iter().map(|h| format!("<th>{h}</th>")).collect();
        format!("<div class=\"scroll\"><table><tr>{head}</tr>\n{rows}</table></div>\n")
    }
}

/// `24 KiB`, `512 bytes`
fn kib(bytes: u64) -> String {
    if bytes > 0 && !bytes.is_multiple_of(1024) && bytes < 10 * 1024 {
        text!("{bytes} bytes", bytes)
    } else {
        format!("{} KiB", bytes.div_ceil(1024))
    }
}
