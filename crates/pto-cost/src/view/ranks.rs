//! Several ranks in words and as data.

use super::json::{field, number_field, text_field};
use super::write::list;
use crate::network::RankNetwork;
use crate::report::{PerfReport, RankPrediction, RanksReport};
use pto_isa::text;

/// Lines about ranks and links; nothing for a single rank.
pub(super) fn lines(report: &PerfReport) -> String {
    let Some(ranks) = &report.ranks else { return String::new() };
    let Some(slowest) = ranks.slowest() else { return String::new() };
    let micros = |cycles: f64| format!("{:.1}", cycles / report.mhz);
    let mut text = format!("{}; {}\n", simulated(ranks), connected(&ranks.network));
    text += &text!(
        "communication: {time} of {all} µs of rank {rank}; it moves {bytes}\n",
        time = micros(slowest.communication),
        all = micros(slowest.cycles),
        rank = slowest.rank,
        bytes = moved(slowest, &ranks.network)
    );
    if let Some(hot) = ranks.hot.filter(|hot| hot.cycles > slowest.cycles) {
        let (rank, least) = (hot.rank, micros(hot.cycles));
        text += &text!("all ranks use memory of rank {rank}, whose link takes {least} µs\n", rank, least);
    }
    text += &match ranks.bound() {
        Some(link) => text!("bound by: the link {link}\n", link),
        None => text!("bound by: the work of each rank\n").to_string(),
    };
    text
}

fn simulated(ranks: &RanksReport) -> String {
    let count = ranks.network.ranks;
    if ranks.simulated.len() as u32 == count {
        return text!("ranks: {count}, all simulated", count);
    }
    let numbers: Vec<String> = ranks.simulated.iter().map(|r| r.rank.to_string()).collect();
    text!("ranks: {count}, of which {numbers} stand for all", count, numbers = numbers.join(", "))
}

fn connected(network: &RankNetwork) -> String {
    let near = network.near.name;
    match network.ranks <= network.per_server {
        true => text!("{near} between them", near),
        false => {
            let (far, count) = (network.far.name, network.per_server);
            text!("{near} in servers of {count}, {far} between servers", near, count, far)
        }
    }
}

fn moved(rank: &RankPrediction, network: &RankNetwork) -> String {
    let near = text!("{bytes} over {link}", bytes = size(rank.near_bytes), link = network.near.name);
    let far = text!("{bytes} over {link}", bytes = size(rank.far_bytes), link = network.far.name);
    match (rank.near_bytes, rank.far_bytes) {
        (_, 0) => near,
        (0, _) => far,
        _ => format!("{near}, {far}"),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(0x10_0000)),
    }
}

/// The same as a field of the JSON object.
pub(super) fn data(out: &mut String, report: &PerfReport) {
    let Some(ranks) = &report.ranks else { return };
    let network = &ranks.network;
    field(out, "ranks");
    out.push('{');
    number_field(out, "count", f64::from(network.ranks));
    number_field(out, "per_server", f64::from(network.per_server));
    text_field(out, "near_link", network.near.name);
    text_field(out, "far_link", network.far.name);
    text_field(out, "bound", ranks.bound().unwrap_or("work"));
    if let Some(hot) = ranks.hot {
        field(out, "shared_rank");
        out.push('{');
        number_field(out, "rank", f64::from(hot.rank));
        number_field(out, "microseconds", hot.cycles / report.mhz);
        out.push('}');
    }
    field(out, "simulated");
    list(out, &ranks.simulated, |out, rank| {
        out.push('{');
        number_field(out, "rank", f64::from(rank.rank));
        number_field(out, "microseconds", rank.cycles / report.mhz);
        number_field(out, "communication_microseconds", rank.communication / report.mhz);
        number_field(out, "near_bytes", rank.near_bytes as f64);
        number_field(out, "far_bytes", rank.far_bytes as f64);
        out.push('}');
    });
    out.push('}');
}
