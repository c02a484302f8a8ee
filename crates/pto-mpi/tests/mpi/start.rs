//! Starts that fail, and ends that are not regular.

use crate::ROLE;
use crate::launchers::{Installed, said};
use libtest_mimic::{Failed, Trial};
use pto_mpi::{Launcher, Mpi, MpiError};

/// What processes with other roles do; an error is a failure of the test.
pub(crate) fn run(role: &str) {
    match (role, Mpi::start()) {
        ("missing", Err(error @ MpiError::NotFound { from_variable: true, .. })) => {
            let text = error.to_string();
            assert!(text.contains("/nonexistent") && text.contains("PTO_MPI"), "{text}");
            assert_eq!(error.packages(), None);
        }
        ("no_library", Err(error @ MpiError::MissingSymbol { .. })) => {
            assert!(error.to_string().contains("MPI_Get_library_version"), "{error}");
        }
        ("other", Err(error @ MpiError::OtherLauncher { .. })) => {
            assert!(error.to_string().contains("another launcher"), "{error}");
        }
        ("single", Ok(mpi)) => {
            assert_eq!((mpi.rank(), mpi.ranks()), (0, 1));
            assert!(matches!(Mpi::start(), Err(MpiError::StartedBefore)));
        }
        ("abort", Ok(mpi)) if mpi.rank() == 1 => mpi.abort(7),
        ("panic", Ok(mpi)) if mpi.rank() == 1 => {
            let _window = mpi.window(8).expect("a window");
            panic!("on purpose");
        }
        ("abort" | "panic", Ok(mpi)) => {
            let _window = mpi.window(8);
            let _ = mpi.barrier();
            println!("the others went on");
        }
        (_, other) => panic!("{role}: {:?}", other.err()),
    }
    println!("all well");
}

/// Starts without a launcher that fail in the same way everywhere, and with one that an end is passed on by.
pub(crate) fn trials(name: &str, found: Option<&Installed>) -> Vec<Trial> {
    let of = |what: &str, test: fn(&Installed) -> Result<(), Failed>| {
        let installed = found.cloned();
        let test = move || test(installed.as_ref().ok_or_else(|| Failed::from("no launcher"))?);
        Trial::test(format!("{name}/{what}"), test).with_ignored_flag(found.is_none())
    };
    vec![
        of("missing_library", |launcher| {
            succeeds(launcher.command(2).env(ROLE, "missing").env("PTO_MPI", "/nonexistent/libmpi.so"), 2)
        }),
        of("abort", |launcher| ends(launcher, "abort")),
        of("panic", |launcher| ends(launcher, "panic")),
    ]
}

/// Tests that need no launcher, or both.
pub(crate) fn trials_of_both(launchers: &[(Launcher, Option<Installed>)]) -> Vec<Trial> {
    let found: Vec<Installed> = launchers.iter().filter_map(|(_, found)| found.clone()).collect();
    let (has_one, has_both) = (!found.is_empty(), found.len() == 2);
    let alone = || std::process::Command::new(std::env::current_exe().expect("this program has a path"));
    vec![
        Trial::test("start/missing", move || {
            succeeds(alone().env(ROLE, "missing").env("PTO_MPI", "/nonexistent/libmpi.so"), 1)
        }),
        // Some library that is no MPI.
        Trial::test("start/no_library", move || {
            succeeds(alone().env(ROLE, "no_library").env("PTO_MPI", "libc.so.6"), 1)
        })
        .with_ignored_flag(!cfg!(target_os = "linux")),
        Trial::test("start/message", message),
        Trial::test("start/without_launcher", move || succeeds(alone().env(ROLE, "single"), 1))
            .with_ignored_flag(!has_one),
        Trial::test("start/other_library", move || {
            succeeds(found[0].command(2).env(ROLE, "other").env("PTO_MPI", "libmpi.so.40"), 2)
        })
        .with_ignored_flag(!has_both || !cfg!(target_os = "linux")),
    ]
}

/// What to install, for the launcher that was used.
fn message() -> Result<(), Failed> {
    for (launcher, packages) in [
        (Some(Launcher::Mpich), &["mpich"][..]),
        (Some(Launcher::OpenMpi), &["openmpi-bin"]),
        (None, &["mpich", "openmpi-bin"]),
    ] {
        let tried = vec![("libmpi.so".to_string(), "no such file".to_string())];
        let error = MpiError::NotFound { launcher, tried, from_variable: false };
        let text = error.to_string();
        let named = packages.iter().all(|name| text.contains(&format!("`apt install {name}`")));
        if error.packages() != Some(packages) || !named || !text.contains("tried libmpi.so (no such file)") {
            return Err(text.into());
        }
    }
    Ok(())
}

fn succeeds(command: &mut std::process::Command, ranks: usize) -> Result<(), Failed> {
    let out = command.output()?;
    let text = said(&out);
    let is_well = out.status.success() && text.matches("all well").count() == ranks;
    if is_well { Ok(()) } else { Err(format!("{}: {text}", out.status).into()) }
}

/// One rank gives up: none goes on, and the launcher says so.
fn ends(launcher: &Installed, role: &str) -> Result<(), Failed> {
    let out = launcher.command(2).env(ROLE, role).output()?;
    let text = said(&out);
    let is_well = !out.status.success() && !text.contains("all well") && !text.contains("takes too long");
    if is_well { Ok(()) } else { Err(format!("{}: {text}", out.status).into()) }
}
