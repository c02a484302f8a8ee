//! The launchers that are installed.

use pto_mpi::Launcher;
use std::process::{Command, Output};
use std::time::Duration;

/// A launcher that is installed.
#[derive(Clone)]
pub(crate) struct Installed {
    program: &'static str,
    arguments: &'static [&'static str],
}

/// The launcher of a library, by what programs say of themselves: `mpirun` may be any.
pub(crate) fn find(launcher: Launcher) -> Option<Installed> {
    let (programs, mark, arguments): (&[&str], &str, &[&str]) = match launcher {
        Launcher::Mpich => (&["mpirun.mpich", "mpiexec.hydra", "mpirun"], "HYDRA", &[]),
        _ => (&["mpirun.openmpi", "mpirun"], "Open MPI", &["--oversubscribe"]),
    };
    let is_it = |program: &&&str| {
        let out = Command::new(program).arg("--version").output();
        out.is_ok_and(|out| said(&out).contains(mark))
    };
    programs.iter().find(is_it).map(|program| Installed { program, arguments })
}

impl Installed {
    /// A command that starts this program in several processes.
    pub(crate) fn command(&self, ranks: usize) -> Command {
        let mut command = self.launch(ranks);
        command.arg(std::env::current_exe().expect("this program has a path"));
        command
    }

    /// A command that starts what is added to it in several processes.
    pub(crate) fn launch(&self, ranks: usize) -> Command {
        let mut command = Command::new(self.program);
        command.args(self.arguments).args(["-n", &ranks.to_string()]);
        // Tests are started by root in containers, which Open MPI refuses otherwise.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    }
}

/// Ends this process if it is still there after a time: ranks that wait for each other would wait forever.
pub(crate) fn end_after(time: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        eprintln!("takes too long");
        std::process::exit(3);
    });
}

pub(crate) fn said(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}
