//! What was measured, as tables.

use super::cases::Case;
use super::peer::{Distance, KINDS, Kind, Peer};
use super::request::Request;
use super::surroundings;

/// The shortest time so far, in milliseconds.
#[derive(Clone, Copy, Default)]
pub struct Shortest(Option<f64>);

impl Shortest {
    pub fn shorten(&mut self, ms: f64) {
        self.0 = Some(self.0.map_or(ms, |shortest| shortest.min(ms)));
    }
}

/// What a program took a peer.
#[derive(Clone)]
pub struct PeerTime {
    time: Shortest,
    /// How it was computed in that time.
    way: String,
    pub answer: Result<Distance, String>,
}

impl PeerTime {
    pub fn shorten(&mut self, ms: f64, way: String) {
        if self.time.0.is_none_or(|shortest| ms < shortest) {
            (self.time, self.way) = (Shortest(Some(ms)), way);
        }
    }
}

/// What a program took everybody; one for each number of threads, and of the peers one for each of them.
pub struct CaseTimes {
    pub engine: Vec<Shortest>,
    pub copy: Vec<Shortest>,
    pub by_hand: Shortest,
    pub peers: Vec<PeerTime>,
}

impl CaseTimes {
    pub fn new(request: &Request, peers: usize) -> Self {
        let each = vec![Shortest::default(); request.threads.len()];
        let peer = PeerTime { time: Shortest::default(), way: String::new(), answer: Err(String::new()) };
        Self { engine: each.clone(), copy: each, by_hand: Shortest::default(), peers: vec![peer; peers] }
    }
}

/// All programs.
pub struct BenchResults {
    threads: Vec<u32>,
    kinds: Vec<&'static Kind>,
    by_hand: bool,
    /// To a level.
    limited: bool,
    peers: Vec<(u32, &'static Kind, Result<String, String>)>,
    cases: Vec<(&'static Case, CaseTimes)>,
}

impl BenchResults {
    pub fn new(request: &Request, peers: &[Peer]) -> Self {
        Self {
            threads: request.threads.clone(),
            kinds: KINDS.iter().filter(|kind| request.peers.contains(&kind.package)).collect(),
            by_hand: request.by_hand,
            limited: surroundings::level().is_some(),
            peers: peers.iter().map(|peer| (peer.threads, peer.kind, peer.version.clone())).collect(),
            cases: Vec::new(),
        }
    }

    pub fn push(&mut self, case: &'static Case, times: CaseTimes) {
        self.cases.push((case, times));
    }

    pub fn print(&self) {
        let level = surroundings::level();
        let instructions =
            level.as_deref().map_or("all its instructions".to_string(), |level| format!("level `{level}`"));
        println!("Milliseconds on {}, {instructions}; shortest of several turns.", surroundings::processor());
        for (at, threads) in self.threads.iter().enumerate() {
            println!("\n{threads} {}:\n", if *threads == 1 { "thread" } else { "threads" });
            self.print_times(at, *threads);
        }
        println!();
        self.print_versions();
        self.print_distances();
    }

    fn print_times(&self, at: usize, threads: u32) {
        let by_hand = self.by_hand && threads == 1;
        let mut titles = vec!["program", "PTO", "copy"];
        titles.extend(by_hand.then_some("by hand"));
        titles.extend(self.kinds.iter().map(|kind| kind.title));
        titles.push("fastest peer / PTO");
        print_row(&titles);
        print_row(&vec!["---"; titles.len()]);
        for (case, times) in &self.cases {
            let peers: Vec<Option<f64>> = self.of_peers(times, threads).map(|peer| peer.time.0).collect();
            let (engine, copy) = (times.engine[at].0, times.copy[at].0);
            let comparable = self.kinds.iter().map(|kind| !self.limited || kind.unlimited.is_none());
            let fastest = peers.iter().zip(comparable).filter(|(_, fair)| *fair).filter_map(|(time, _)| *time);
            let fastest = fastest.reduce(f64::min);
            let mut cells = vec![case.name.to_string(), milliseconds(engine), milliseconds(copy)];
            cells.extend(by_hand.then(|| milliseconds(times.by_hand.0)));
            cells.extend(peers.iter().map(|time| milliseconds(*time)));
            let ratio = fastest.zip(engine).map(|(peer, engine)| format!("{:.2}", peer / engine));
            cells.push(ratio.unwrap_or_else(|| "–".to_string()));
            print_row(&cells);
        }
    }

    /// The peers with so many threads, in the order of columns.
    fn of_peers<'a>(&'a self, times: &'a CaseTimes, threads: u32) -> impl Iterator<Item = &'a PeerTime> {
        self.peers.iter().zip(&times.peers).filter(move |(peer, _)| peer.0 == threads).map(|(_, time)| time)
    }

    /// Who took part, and who did not, and why.
    fn print_versions(&self) {
        let first = || self.peers.iter().filter(|(threads, ..)| *threads == self.threads[0]);
        let versions: Vec<&str> = first().filter_map(|(.., version)| version.as_deref().ok()).collect();
        println!("Peers: {}.", if versions.is_empty() { "none".to_string() } else { versions.join(", ") });
        for (_, kind, version) in first() {
            match (version, kind.unlimited) {
                (Err(why), _) => println!("Without {}: {why}.", kind.title),
                (Ok(_), Some(what)) if self.limited => {
                    println!("{} may use more than the level, so the last column leaves it out: {what}.", kind.title);
                }
                _ => {}
            }
        }
        self.cases.iter().for_each(|(case, times)| self.print_gaps(case, times));
    }

    /// What peers cannot compute.
    fn print_gaps(&self, case: &Case, times: &CaseTimes) {
        for ((threads, kind, version), time) in self.peers.iter().zip(&times.peers) {
            let say = |what: &str, why: &str| println!("{} on {threads}, {}: {what}{why}.", kind.title, case.name);
            match &time.answer {
                Ok(distance) if !distance.wrong.is_empty() => say("wrong and not counted: ", &distance.wrong),
                Err(why) if version.is_ok() => say("", why),
                _ => {}
            }
        }
    }

    /// How the peers computed, and how far from them the engine is.
    fn print_distances(&self) {
        println!(
            "\nHow each peer was fastest, and the largest difference from its results as a part of the largest number:\n"
        );
        let mut titles = vec!["program"];
        titles.extend(self.kinds.iter().map(|kind| kind.title));
        print_row(&titles);
        print_row(&vec!["---"; titles.len()]);
        for (case, times) in &self.cases {
            let cell = |time: &PeerTime| match &time.answer {
                Ok(distance) => format!("{}; {:.1e}", time.way, distance.relative()),
                Err(_) => "–".to_string(),
            };
            let peers = self.of_peers(times, self.threads[0]).map(cell);
            print_row(&[case.name.to_string()].into_iter().chain(peers).collect::<Vec<_>>());
        }
    }

    /// Says which results differ by more than rounding explains.
    pub fn all_close(&self) -> bool {
        let mut close = true;
        for (case, times) in &self.cases {
            for ((_, kind, _), time) in self.peers.iter().zip(&times.peers) {
                if let Some(far) = time.answer.as_ref().ok().filter(|distance| !distance.is_close(case.tolerance)) {
                    eprintln!(
                        "{}: {:e} from {}, where numbers go up to {}",
                        case.name, far.error, kind.title, far.largest
                    );
                    close = false;
                }
            }
        }
        close
    }
}

fn print_row(cells: &[impl AsRef<str>]) {
    println!("| {} |", cells.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" | "));
}

/// Two runs do not agree about more digits.
fn milliseconds(time: Option<f64>) -> String {
    match time {
        None => "–".to_string(),
        Some(ms) if ms < 0.1 => format!("{ms:.3}"),
        Some(ms) if ms < 10.0 => format!("{ms:.2}"),
        Some(ms) => format!("{ms:.1}"),
    }
}
