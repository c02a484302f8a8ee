//! The memories of a plan as a picture: addresses from the bottom up, the program from left to right.

use super::plan::PlanReport;
use pto::doc::escape;
use pto::isa::text;
use pto::opt::plan::{PlacedTile, PlannedSpace};
use pto::syntax::Lines;
use std::fmt::Write;

const STYLE: &str = include_str!("map.css");
/// The size of a picture.
const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 360.0;

/// A self-contained page.
pub(super) fn page(report: &PlanReport<'_>) -> String {
    let name = escape(&report.read.source.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}: memory</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}</style></head><body>\n<h1>{name}</h1>\n"
    );
    let lines = Lines::new(&report.read.source.text);
    for space in &report.planned.spaces {
        picture(report, &lines, space, &mut page);
    }
    if report.planned.spaces.is_empty() {
        page += "<p>Every tile has an address already.</p>\n";
    }
    page += "</body></html>\n";
    page
}

fn picture(report: &PlanReport<'_>, lines: &Lines, space: &PlannedSpace, page: &mut String) {
    let PlannedSpace { loc, capacity, peak, needed, .. } = space;
    let how = if space.shared { text!("tiles share bytes") } else { text!("side by side") };
    let _ = writeln!(
        page,
        "<h2>{loc}</h2><p>{peak} of {capacity} bytes ({how}), {needed} needed at one time</p>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{loc}: address by program order\">"
    );
    let first = space.tiles.iter().map(|t| t.live.0).min().unwrap_or(0);
    let last = space.tiles.iter().map(|t| t.live.1).max().unwrap_or(0).max(first + 1);
    let across = |at: u32| f64::from(at - first) / f64::from(last + 1 - first) * WIDTH;
    let up = |byte: u64| HEIGHT - byte as f64 / *capacity as f64 * HEIGHT;
    if space.reserved > 0 {
        let top = up(space.reserved);
        let _ = writeln!(
            page,
            "<rect class=\"kept\" x=\"0\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{:.1}\"><title>{} bytes kept for pipes</title></rect>",
            HEIGHT - top,
            space.reserved
        );
    }
    for (at, tile) in space.tiles.iter().enumerate() {
        let (left, right) = (across(tile.live.0), across(tile.live.1 + 1));
        let (top, bottom) = (up(tile.address + tile.bytes), up(tile.address));
        let _ = writeln!(
            page,
            "<g class=\"c{}\"><title>{}</title><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>{}</g>",
            at % 6,
            escape(&words(report, lines, tile)),
            (right - left).max(1.0),
            (bottom - top).max(1.0),
            label(tile, (left, right), (top, bottom)),
        );
    }
    *page += "</svg>\n";
}

/// The name, if it fits.
fn label(tile: &PlacedTile, (left, right): (f64, f64), (top, bottom): (f64, f64)) -> String {
    if right - left < 60.0 || bottom - top < 14.0 {
        return String::new();
    }
    format!("<text x=\"{:.1}\" y=\"{:.1}\">%{}</text>", left + 4.0, (top + bottom) / 2.0 + 4.0, escape(&tile.name))
}

fn words(report: &PlanReport<'_>, lines: &Lines, tile: &PlacedTile) -> String {
    let (first, last) = (report.line(lines, tile.first), report.line(lines, tile.last));
    text!(
        "%{name}: {address} to {bytes} ({bytes2} bytes), lines {first} to {last}",
        name = tile.name,
        address = format_args!("{:#x}", tile.address),
        bytes = format_args!("{:#x}", tile.address + tile.bytes),
        bytes2 = tile.bytes,
        first,
        last
    )
}
