//! Ranks that a launcher of MPI starts, for each that is installed. `tests/install-mpi` installs both.

#[path = "../../../pto-mpi/tests/mpi/launchers.rs"]
#[allow(dead_code, reason = "its own tests need more of it")]
mod launchers;

use launchers::{Installed, said};
use libtest_mimic::{Failed, Trial};
use pto_mpi::Launcher;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = Vec::new();
    for (name, launcher) in [("mpich", Launcher::Mpich), ("open_mpi", Launcher::OpenMpi)] {
        let found = launchers::find(launcher);
        for (case, run) in CASES {
            let launcher = found.clone();
            let test = move || launcher.as_ref().map_or(Ok(()), run);
            all.push(Trial::test(format!("mpi/{name}/{case}"), test).with_ignored_flag(found.is_none()));
        }
    }
    all
}

type Case = (&'static str, fn(&Installed) -> Result<(), Failed>);

const CASES: [Case; 6] = [
    ("programs", programs),
    ("copied", copied),
    ("a_deadlock", a_deadlock),
    ("a_number_of_ranks", a_number_of_ranks),
    ("different_programs", different_programs),
    ("a_late_rank", a_late_rank),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(launcher: &Installed, ranks: usize, copies: bool, args: &[&str]) -> std::io::Result<Output> {
    run_each(launcher, &[(ranks, &[&[env!("CARGO_BIN_EXE_pto"), "run"], args].concat())], copies)
}

/// Some ranks with one command, some with another.
fn run_each(launcher: &Installed, commands: &[(usize, &[&str])], copies: bool) -> std::io::Result<Output> {
    let mut command = launcher.launch(commands[0].0);
    for (at, (ranks, words)) in commands.iter().enumerate() {
        if at > 0 {
            command.args([":", "-n", &ranks.to_string()]);
        }
        command.args(*words);
    }
    command.env("PTO_LANG", "en").env("PTO_MPI_COPY", if copies { "1" } else { "0" }).output()
}

/// What was reported about parameters.
fn parameters(out: &Output) -> Result<Value, Failed> {
    let report: Value = serde_json::from_slice(&out.stdout).map_err(|e| format!("{e}\n{}", said(out)))?;
    Ok(report["parameters"].clone())
}

/// Programs that communicate, with the number of ranks and their options.
fn all_programs() -> Result<Vec<(PathBuf, usize, Vec<String>)>, Failed> {
    let mut all = vec![
        (root().join("examples/all_reduce.pto"), 4, Vec::new()),
        (root().join("tests/cli/run_ranks.pto"), 3, vec!["x=ones".to_string(), "x@2=fill:5".to_string()]),
    ];
    for entry in std::fs::read_dir(root().join("tests/race"))? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path)?;
        let line = text.lines().find_map(|line| line.strip_prefix("// args --ranks ")).unwrap_or_default();
        let mut words = line.split_whitespace();
        // The others are not ordered, or ask whether something has happened yet.
        let is_ordered = path.to_string_lossy().ends_with(".fixed.pto") && !text.contains("comm.ttest(");
        if let (Some(ranks), true) = (words.next().and_then(|n| n.parse().ok()), is_ordered) {
            all.push((path, ranks, words.map(str::to_string).collect()));
        }
    }
    all.sort();
    Ok(all)
}

fn same(launcher: &Installed, copies: bool, programs: &[(PathBuf, usize, Vec<String>)]) -> Result<(), Failed> {
    for (file, ranks, options) in programs {
        let mut args = vec![file.to_str().unwrap_or_default(), "--json"];
        args.extend(options.iter().map(String::as_str));
        let many = run(launcher, *ranks, copies, &args)?;
        let mut one = Command::new(env!("CARGO_BIN_EXE_pto"));
        let one = one.arg("run").args(&args).args(["--ranks", &ranks.to_string()]).env("PTO_LANG", "en").output()?;
        if !(one.status.success() && many.status.success()) || parameters(&one)? != parameters(&many)? {
            return Err(format!("{}:\n{}\n{}", file.display(), said(&one), said(&many)).into());
        }
    }
    Ok(())
}

/// In CI, only some: a launcher takes half a second.
fn programs(launcher: &Installed) -> Result<(), Failed> {
    let all = all_programs()?;
    let every = std::env::var("MPI_PROGRAMS").is_ok_and(|value| value == "all");
    same(launcher, false, if every { &all } else { &all[..3.min(all.len())] })
}

fn copied(launcher: &Installed) -> Result<(), Failed> {
    let all = all_programs()?;
    let every = std::env::var("MPI_PROGRAMS").is_ok_and(|value| value == "all");
    same(launcher, true, if every { &all } else { &all[..3.min(all.len())] })
}

fn a_deadlock(launcher: &Installed) -> Result<(), Failed> {
    let file = root().join("tests/race/rank_waits_before_it_tells.pto");
    for copies in [false, true] {
        let said = said(&run(launcher, 2, copies, &[file.to_str().unwrap_or_default()])?);
        if !(said.contains("PTO-E0712") && said.contains("on rank 0 waits") && said.contains("on rank 1 waits")) {
            return Err(said.into());
        }
    }
    Ok(())
}

fn a_number_of_ranks(launcher: &Installed) -> Result<(), Failed> {
    let file = root().join("examples/all_reduce.pto");
    let out = run(launcher, 2, false, &[file.to_str().unwrap_or_default(), "--ranks", "4"])?;
    let said = said(&out);
    let is_named = said.contains("--ranks says 4, and 2 ranks were launched") && !out.status.success();
    if is_named { Ok(()) } else { Err(said.into()) }
}

fn different_programs(launcher: &Installed) -> Result<(), Failed> {
    let pto = env!("CARGO_BIN_EXE_pto");
    let file = |name: &str| root().join("tests/race").join(name).to_string_lossy().into_owned();
    let (one, other) = (file("rank_waits_before_it_tells.fixed.pto"), file("notify_overtakes_store.fixed.pto"));
    let programs = said(&run_each(launcher, &[(1, &[pto, "run", &one]), (1, &[pto, "run", &other])], false)?);
    let blocks = [pto, "run", &one, "--blocks", "2"];
    let options = said(&run_each(launcher, &[(1, &[pto, "run", &one]), (1, &blocks)], true)?);
    let named = programs.contains("rank 1 has another program than rank 0")
        && options.contains("rank 1 has other options than rank 0");
    if named { Ok(()) } else { Err(format!("{programs}\n{options}").into()) }
}

fn a_late_rank(launcher: &Installed) -> Result<(), Failed> {
    let pto = env!("CARGO_BIN_EXE_pto");
    let file = root().join("tests/race/rank_waits_before_it_tells.fixed.pto").to_string_lossy().into_owned();
    let late = format!("sleep 1; exec {pto} run {file}");
    let out = run_each(launcher, &[(1, &[pto, "run", &file]), (1, &["sh", "-c", &late])], false)?;
    if out.status.success() && said(&out).contains("told@1") { Ok(()) } else { Err(said(&out).into()) }
}
