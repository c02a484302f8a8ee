//! Links between ranks as data, and which of them connects two ranks.

mod charge;

pub use charge::LinkCharge;
pub(crate) use charge::{RemoteBytes, charge_of};

use crate::laws::Grade;
use pto_isa::Target;
use pto_isa::sort::SharedSort;
use std::sync::OnceLock;

const TEXT: &str = include_str!("../../data/links.tsv");

/// Where a figure of a link comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FigureStatus {
    /// Measured with PTO instructions.
    Measured,
    /// A specification, a paper or an article says so.
    Stated,
    /// A guess.
    Assumed,
}

impl FigureStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Measured, Self::Stated, Self::Assumed];

    /// The word in the data file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Stated => "stated",
            Self::Assumed => "assumed",
        }
    }

    /// How far costs that rest on it can be trusted.
    const fn grade(self) -> Grade {
        match self {
            Self::Measured => Grade::Calibrated,
            Self::Stated => Grade::Derived,
            Self::Assumed => Grade::Assumed,
        }
    }
}

/// A line of the data file.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct LinkFigure {
    /// The link.
    pub link: &'static str,
    /// Which figure.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The unit of the value.
    pub unit: &'static str,
    /// How far it can be trusted.
    pub status: FigureStatus,
    /// Where it comes from.
    pub source: &'static str,
}

/// The figures of all links, in the order of the data file.
pub fn link_figures() -> &'static [LinkFigure] {
    static ALL: OnceLock<Vec<LinkFigure>> = OnceLock::new();
    ALL.get_or_init(|| TEXT.lines().filter(|l| !l.starts_with('#')).filter_map(read).collect())
}

fn read(line: &'static str) -> Option<LinkFigure> {
    let mut fields = line.split('\t');
    let (link, name, value) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
    let (unit, status, source) = (fields.next()?, fields.next()?, fields.next()?);
    let status = FigureStatus::ALL.into_iter().find(|s| s.name() == status)?;
    Some(LinkFigure { link, name, value, unit, status, source })
}

/// What one link can do, in one direction: rates in GB/s (10⁹ bytes), times in microseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct RankLink {
    /// Its name in the data file.
    pub name: &'static str,
    /// The rate of one core that moves bytes through its buffer.
    pub core: f64,
    /// The rate of a transfer in the background.
    pub dma: f64,
    /// The rate between two ranks.
    pub peer: f64,
    /// The rate of a rank to all others.
    pub npu: f64,
    /// Time before the first byte of a transfer of a core.
    pub start: f64,
    /// The same in the background.
    pub dma_start: f64,
    /// Time from a notification to the wait that sees it.
    pub signal: f64,
    /// How far the rate of a core and that of the background can be trusted.
    grades: (Grade, Grade),
}

impl RankLink {
    /// The names of all links.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<&'static str> = link_figures().iter().map(|f| f.link).collect();
        names.dedup();
        names
    }

    /// A link of the data file.
    ///
    /// ```
    /// use pto_cost::RankLink;
    /// assert_eq!(RankLink::named("roce").expect("it has figures").npu, 25.0);
    /// assert!(RankLink::named("string").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let of = |figure: &str| link_figures().iter().find(|f| f.link == name && f.name == figure);
        let value = |figure: &str| of(figure).map_or(0.0, |f| f.value);
        let grade = |figure: &str| of(figure).map_or(Grade::Assumed, |f| f.status.grade());
        Some(Self {
            name: of("core")?.link,
            core: value("core"),
            dma: value("dma"),
            peer: value("peer"),
            npu: value("npu"),
            start: value("start"),
            dma_start: value("dma_start"),
            signal: value("signal"),
            grades: (grade("core"), grade("dma")),
        })
    }

    /// The same with one rate for everything: of a core, in the background, to a peer and to all of them.
    #[must_use]
    pub fn with_bandwidth(self, rate: f64) -> Self {
        let grades = (Grade::Assumed, Grade::Assumed);
        Self { core: rate, dma: rate, peer: rate, npu: rate, grades, ..self }
    }

    /// The same with one latency for transfers and signals.
    #[must_use]
    pub fn with_latency(self, micros: f64) -> Self {
        Self { start: micros, dma_start: micros, signal: micros, ..self }
    }

    /// Every pair of ranks has a link of its own.
    pub(crate) fn is_mesh(&self) -> bool {
        self.npu > self.peer
    }
}

/// Which link connects two ranks: one inside a server, one between servers.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct RankNetwork {
    /// How many ranks there are.
    pub ranks: u32,
    /// Ranks of a server; those with successive numbers share one.
    pub per_server: u32,
    /// The link inside a server.
    pub near: RankLink,
    /// The link between servers.
    pub far: RankLink,
}

impl RankNetwork {
    /// The usual network of a target: HCCS in servers of 8 on a2a3, UB on a5, and RoCE between servers.
    ///
    /// ```
    /// use pto_cost::RankNetwork;
    /// use pto_isa::Target;
    ///
    /// let network = RankNetwork::of(Target::A2A3, 1024);
    /// assert_eq!(network.between(0, 7).name, "hccs");
    /// assert_eq!(network.between(7, 8).name, "roce");
    /// ```
    pub fn of(target: Target, ranks: u32) -> Self {
        let name = if target == Target::A5 { "ub" } else { "hccs" };
        let inside = link_figures().iter().find(|f| f.link == name && f.name == "ranks");
        let link = |name: &str| RankLink::named(name).unwrap_or_else(|| unreachable_link(name));
        let per_server = inside.map_or(ranks, |f| f.value as u32).max(1);
        Self { ranks, per_server, near: link(name), far: link("roce") }
    }

    /// One link between all ranks.
    pub fn single(link: RankLink, ranks: u32) -> Self {
        Self { ranks, per_server: ranks.max(1), near: link, far: link }
    }

    /// The same with another number of ranks in a server.
    #[must_use]
    pub fn with_servers_of(self, per_server: u32) -> Self {
        Self { per_server: per_server.max(1), ..self }
    }

    /// The link between two ranks.
    pub fn between(&self, a: u32, b: u32) -> &RankLink {
        if self.is_far(a, b) { &self.far } else { &self.near }
    }

    /// They are in different servers.
    pub fn is_far(&self, a: u32, b: u32) -> bool {
        a / self.per_server != b / self.per_server
    }

    /// Ranks that stand for all: the first two, the last of the first server, the first of the second, and the last.
    pub fn representatives(&self) -> Vec<u32> {
        let mut list = vec![0, 1, self.per_server - 1, self.per_server, self.ranks.saturating_sub(1)];
        list.retain(|r| *r < self.ranks);
        list.shared_sort();
        list.dedup();
        list
    }
}

/// The data file has every link that is named here; a test reads them all.
fn unreachable_link(name: &str) -> RankLink {
    let grades = (Grade::Assumed, Grade::Assumed);
    let name = RankLink::names().into_iter().find(|n| *n == name).unwrap_or("");
    RankLink { name, core: 1.0, dma: 1.0, peer: 1.0, npu: 1.0, start: 0.0, dma_start: 0.0, signal: 0.0, grades }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_has_every_figure_and_a_source() {
        let lines = TEXT.lines().filter(|l| !l.starts_with('#')).count();
        assert_eq!(link_figures().len(), lines, "a line of links.tsv cannot be read");
        assert_eq!(RankLink::names(), ["hccs", "ub", "roce"]);
        for name in RankLink::names() {
            for figure in ["core", "dma", "peer", "npu", "start", "dma_start", "signal", "ranks"] {
                let found = link_figures().iter().filter(|f| f.link == name && f.name == figure);
                assert_eq!(found.count(), 1, "{name} {figure}");
            }
            let link = RankLink::named(name).unwrap();
            assert!(link.core > 0.0 && link.dma > 0.0 && link.peer > 0.0 && link.npu >= link.peer, "{name}");
        }
        assert!(link_figures().iter().all(|f| !f.source.is_empty()));
    }

    #[test]
    fn representatives_are_at_the_borders_of_servers() {
        let of = |ranks| RankNetwork::of(Target::A2A3, ranks).representatives();
        assert_eq!(of(1024), [0, 1, 7, 8, 1023]);
        assert_eq!(of(4), [0, 1, 3]);
        assert_eq!(of(1), [0]);
    }
}
