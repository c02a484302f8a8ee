//! Several ranks: the links between them, and whether all are executed or some stand for the others.

use crate::Failure;
use crate::input::InputText;
use crate::program::{ProgramArgs, Stop, ranks};
use pto::cost::{FollowedRank, RankLink, RankNetwork};
use pto::cpu::{Known, Param, ParamKind, Plan};
use pto::isa::text;
use pto::{Program, Target};

/// Up to so many ranks are executed together, each with its memory: a server.
const EXECUTED: u32 = 8;

/// How ranks are connected.
#[derive(clap::Args)]
pub(super) struct LinkArgs {
    /// One link between all ranks: hccs, ub or roce; default: hccs (a5: ub) inside servers and roce between them
    #[arg(long, value_name = "NAME", requires = "ranks", conflicts_with = "ranks_per_server")]
    link: Option<String>,
    /// Bandwidth of --link in GB/s (10^9 bytes), one direction, of a core as well as of a rank
    #[arg(long, value_name = "GB/s", requires = "link", allow_negative_numbers = true)]
    link_bandwidth: Option<f64>,
    /// Latency of --link in microseconds, of a transfer as well as of a signal
    #[arg(long, value_name = "US", requires = "link", allow_negative_numbers = true)]
    link_latency: Option<f64>,
    /// Ranks of a server; default: 8 (a5: 768)
    #[arg(long, value_name = "N", requires = "ranks", value_parser = clap::value_parser!(u32).range(1..))]
    ranks_per_server: Option<u32>,
}

impl LinkArgs {
    /// The links between so many ranks.
    pub(super) fn network(&self, ranks: Option<u32>, target: Target) -> Result<Option<RankNetwork>, Failure> {
        let Some(ranks) = ranks else { return Ok(None) };
        let Some(name) = &self.link else {
            let usual = RankNetwork::of(target, ranks);
            return Ok(Some(self.ranks_per_server.map_or(usual, |n| usual.with_servers_of(n))));
        };
        let mut link = RankLink::named(name).ok_or_else(|| {
            Failure(text!("there is no link `{name}`; there are {names}", name, names = RankLink::names().join(", ")))
        })?;
        if let Some(rate) = self.link_bandwidth {
            if !(rate.is_finite() && rate > 0.0) {
                return Err(Failure(text!("--link-bandwidth {rate}: a rate in GB/s is a number above 0", rate)));
            }
            link = link.with_bandwidth(rate);
        }
        if let Some(micros) = self.link_latency {
            if !(micros.is_finite() && micros >= 0.0) {
                return Err(Failure(text!(
                    "--link-latency {micros}: a time in microseconds is a number of at least 0",
                    micros
                )));
            }
            link = link.with_latency(micros);
        }
        Ok(Some(RankNetwork::single(link, ranks)))
    }
}

/// How a program is recorded.
pub(super) enum TraceMethod {
    /// Followed, with these numbers.
    Followed(Vec<Known>),
    /// Some of its ranks are followed.
    Ranks(Vec<FollowedRank>),
    /// Only a run shows what it does.
    Run,
}

/// How a program can be recorded, and the program.
pub(super) fn recording(
    what: &ProgramArgs,
    source: &InputText,
    program: &Program,
    target: Target,
    network: Option<&RankNetwork>,
) -> Result<(Plan, TraceMethod), Stop> {
    let open = |p: &Param| matches!(&p.kind, ParamKind::Tensor(_, dims) if dims.contains(&None));
    let Some(network) = network else {
        let (plan, known) = what.numbers("perf", source, program, target)?;
        let runs = plan.depends_on_data() || plan.params().iter().any(open);
        return Ok((plan, if runs { TraceMethod::Run } else { TraceMethod::Followed(known) }));
    };
    let plan = what.plan(source, program, target)?;
    ranks::as_many_as_named(plan.params(), network.ranks as usize)?;
    let runs = network.ranks <= EXECUTED || plan.reads_scalars() || plan.params().iter().any(open);
    if runs {
        what.few_ranks()?;
        return Ok((plan, TraceMethod::Run));
    }
    let followed = what.followed("perf", &plan, network.ranks as usize, &network.representatives())?;
    Ok((plan, TraceMethod::Ranks(followed)))
}
