//! What launchers tell by variables.

use libtest_mimic::{Failed, Trial};
use pto_mpi::{LAUNCH_VARIABLES, LaunchedRank, Launcher, launched_rank_from};

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::test("launch/variables", variables), Trial::test("launch/names", names)]
}

fn variables() -> Result<(), Failed> {
    let is = |variables: &str, expected: Option<(usize, usize, Launcher)>| {
        let value = |name: &str| {
            let pairs = variables.split_whitespace().filter_map(|pair| pair.split_once('='));
            pairs.filter(|(n, _)| *n == name).map(|(_, value)| value.to_string()).next()
        };
        let expected = expected.map(|(rank, ranks, launcher)| LaunchedRank { rank, ranks, launcher });
        let found = launched_rank_from(&value);
        if found == expected { Ok(()) } else { Err(Failed::from(format!("{variables}: {found:?}"))) }
    };
    is("", None)?;
    is("PMI_RANK=1 PMI_SIZE=4", Some((1, 4, Launcher::Mpich)))?;
    is("PMIX_RANK=3 PMI_SIZE=4", Some((3, 4, Launcher::Mpich)))?;
    is("PMIX_RANK=3", None)?;
    is("PMI_RANK=4 PMI_SIZE=4", None)?;
    is("PMI_RANK=x PMI_SIZE=4", None)?;
    is("OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=3 PMIX_RANK=2", Some((2, 3, Launcher::OpenMpi)))?;
    // A shell of an allocation, a step of it, and a step of one task.
    is("SLURM_PROCID=0 SLURM_NTASKS=8", None)?;
    is("SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_NTASKS=8", Some((5, 8, Launcher::Slurm)))?;
    is("SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1", None)?;
    // A step has the variables of PMI too; a launcher inside of a step has its own.
    is("SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_NTASKS=8 PMI_RANK=5 PMI_SIZE=8", Some((5, 8, Launcher::Slurm)))?;
    is("SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2 PMI_RANK=5 PMI_SIZE=8", Some((5, 8, Launcher::Mpich)))?;
    is(
        "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2",
        Some((0, 2, Launcher::OpenMpi)),
    )
}

fn names() -> Result<(), Failed> {
    let asked = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let value = |name: &str| {
        asked.borrow_mut().insert(name.to_string());
        (name == "SLURM_STEP_ID").then(|| "0".to_string())
    };
    launched_rank_from(&value);
    let listed = LAUNCH_VARIABLES.iter().map(|name| (*name).to_string()).collect();
    if asked.into_inner() == listed { Ok(()) } else { Err("a variable is not listed, or not asked for".into()) }
}
