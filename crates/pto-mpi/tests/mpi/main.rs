//! Processes that `mpirun` starts: this program starts itself with each that is installed, and each process runs the cases.

mod cases;
mod launch;
mod launchers;
mod start;
mod windows;

use launchers::Installed;
use libtest_mimic::{Arguments, Failed, Trial};
use pto_mpi::Launcher;

/// Says what a process that was started by a test does.
const ROLE: &str = "PTO_MPI_TEST";

fn main() {
    if let Ok(role) = std::env::var(ROLE) {
        let seconds = if role == "large" { 300 } else { 60 };
        launchers::end_after(std::time::Duration::from_secs(seconds));
        return cases::run(&role);
    }
    let mut arguments = Arguments::from_args();
    // Ranks wait for each other: two tests at a time would slow down both.
    arguments.test_threads = Some(1);
    let mut trials = launch::trials();
    let launchers = [Launcher::Mpich, Launcher::OpenMpi].map(|of| (of, launchers::find(of)));
    for (launcher, found) in &launchers {
        let name = if *launcher == Launcher::Mpich { "mpich" } else { "openmpi" };
        for ranks in [2, 4] {
            trials.push(started(format!("{name}/{ranks}_ranks"), found.as_ref(), ranks, "all", &[]));
        }
        trials.push(started(format!("{name}/network"), found.as_ref(), 2, "network", network(*launcher)));
        trials.push(started(format!("{name}/large"), found.as_ref(), 2, "large", &[]).with_ignored_flag(true));
        trials.extend(start::trials(name, found.as_ref()));
    }
    trials.extend(start::trials_of_both(&launchers));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Variables that make a library move data through the network, between processes of one machine too.
fn network(launcher: Launcher) -> &'static [(&'static str, &'static str)] {
    match launcher {
        Launcher::Mpich => &[("MPIR_CVAR_NOLOCAL", "1")],
        _ => &[("OMPI_MCA_osc", "^sm"), ("OMPI_MCA_btl", "tcp,self"), ("OMPI_MCA_pml", "ob1")],
    }
}

/// A test whose ranks all must succeed; ignored if there is no launcher.
fn started(
    name: String,
    found: Option<&Installed>,
    ranks: usize,
    role: &'static str,
    variables: &'static [(&'static str, &'static str)],
) -> Trial {
    let found = found.cloned();
    let is_absent = found.is_none();
    let test = move || {
        let launcher = found.as_ref().ok_or_else(|| Failed::from("no launcher"))?;
        let mut command = launcher.command(ranks);
        let out = command.env(ROLE, role).envs(variables.iter().copied()).output()?;
        let said = launchers::said(&out);
        let done = said.matches("all well").count();
        if out.status.success() && done == ranks { Ok(()) } else { Err(format!("{}: {said}", out.status).into()) }
    };
    Trial::test(name, test).with_ignored_flag(is_absent)
}
