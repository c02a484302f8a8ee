//! Which rank of how many this process is, from the variables that launchers set.

/// A program that starts the processes of a parallel run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launcher {
    /// Hydra, the launcher of MPICH and of what descends from it.
    Mpich,
    /// `mpirun` of Open MPI.
    OpenMpi,
    /// `srun`, which starts programs of either.
    Slurm,
}

/// This process among those that a launcher started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchedRank {
    /// The number of this process.
    pub rank: usize,
    /// The number of processes.
    pub ranks: usize,
    /// What started them.
    pub launcher: Launcher,
}

/// The variables that [`launched_rank`] reads. A process that this one starts inherits them: remove them from its environment if
/// it is no rank.
pub const LAUNCH_VARIABLES: &[&str] = &[
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK",
    "PMIX_RANK",
    "PMI_SIZE",
    "SLURM_STEP_ID",
    "SLURM_PROCID",
    "SLURM_NTASKS",
];

/// The rank of this process, or `None` if no launcher started it. No library is loaded.
pub fn launched_rank() -> Option<LaunchedRank> {
    launched_rank_from(&|name| std::env::var(name).ok())
}

/// The rank that variables state; `variable` gives the value of one.
pub fn launched_rank_from(variable: &dyn Fn(&str) -> Option<String>) -> Option<LaunchedRank> {
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
    let of = |launcher, rank: Option<usize>, ranks: Option<usize>| {
        let (rank, ranks) = (rank?, ranks?);
        (rank < ranks).then_some(LaunchedRank { rank, ranks, launcher })
    };
    let open_mpi = of(Launcher::OpenMpi, number("OMPI_COMM_WORLD_RANK"), number("OMPI_COMM_WORLD_SIZE"));
    let pmi_rank = number("PMI_RANK").or_else(|| number("PMIX_RANK"));
    let mpich = of(Launcher::Mpich, pmi_rank, number("PMI_SIZE"));
    // A shell inside of an allocation has the number of tasks too; only `srun` makes a step.
    let in_step = variable("SLURM_STEP_ID").is_some();
    let slurm = in_step.then(|| of(Launcher::Slurm, number("SLURM_PROCID"), number("SLURM_NTASKS"))).flatten();
    let slurm = slurm.filter(|of| of.ranks > 1);
    // `srun` sets the variables of PMI too, to the same numbers. Launchers that it started set others.
    let is_same = |a: LaunchedRank, b: LaunchedRank| (a.rank, a.ranks) == (b.rank, b.ranks);
    match (open_mpi, mpich, slurm) {
        (Some(inner), _, _) => Some(inner),
        (None, Some(pmi), Some(step)) if is_same(pmi, step) => Some(step),
        (None, inner, step) => inner.or(step),
    }
}
