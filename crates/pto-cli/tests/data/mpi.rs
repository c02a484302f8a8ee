//! Ranks that a launcher of MPI starts, for each that is installed. `tests/install-mpi` installs both.

use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A launcher: its name in tests, its programs, what its version says, and what it needs to start more ranks than cores.
const LAUNCHERS: [(&str, &[&str], &str, &[&str]); 2] = [
    ("mpich", &["mpirun.mpich", "mpiexec.hydra", "mpirun"], "HYDRA", &[]),
    ("open_mpi", &["mpirun.openmpi", "mpirun"], "Open MPI", &["--oversubscribe"]),
];

#[derive(Clone, Copy)]
struct InstalledLauncher {
    program: &'static str,
    options: &'static [&'static str],
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = Vec::new();
    for (name, programs, mark, options) in LAUNCHERS {
        let is_it = |program: &&&str| {
            Command::new(program).arg("--version").output().is_ok_and(|out| said(&out).contains(mark))
        };
        let found = programs.iter().find(is_it).map(|program| InstalledLauncher { program, options });
        for (case, run) in CASES {
            let test = move || found.map_or(Ok(()), run);
            all.push(Trial::test(format!("mpi/{name}/{case}"), test).with_ignored_flag(found.is_none()));
        }
    }
    all
}

type Case = (&'static str, fn(InstalledLauncher) -> Result<(), Failed>);

const CASES: [Case; 6] = [
    ("programs", programs),
    ("copied", copied),
    ("a_deadlock", a_deadlock),
    ("a_number_of_ranks", a_number_of_ranks),
    ("different_programs", different_programs),
    ("a_late_rank", a_late_rank),
];

fn said(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl InstalledLauncher {
    fn run(self, ranks: usize, copies: bool, args: &[&str]) -> std::io::Result<Output> {
        self.run_each(&[(ranks, &[&[env!("CARGO_BIN_EXE_pto"), "run"], args].concat())], copies)
    }

    /// Some ranks with one command, some with another.
    fn run_each(self, commands: &[(usize, &[&str])], copies: bool) -> std::io::Result<Output> {
        let mut command = Command::new(self.program);
        command.args(self.options);
        for (at, (ranks, words)) in commands.iter().enumerate() {
            command.args((at > 0).then_some(":")).args(["-n", &ranks.to_string()]).args(*words);
        }
        command.env("PTO_LANG", "en").env("PTO_MPI_COPY", if copies { "1" } else { "0" });
        // Tests are started by root in containers, which Open MPI refuses otherwise.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.output()
    }
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

fn same(launcher: InstalledLauncher, copies: bool, programs: &[(PathBuf, usize, Vec<String>)]) -> Result<(), Failed> {
    for (file, ranks, options) in programs {
        let mut args = vec![file.to_str().unwrap_or_default(), "--json"];
        args.extend(options.iter().map(String::as_str));
        let many = launcher.run(*ranks, copies, &args)?;
        let mut one = Command::new(env!("CARGO_BIN_EXE_pto"));
        let one = one.arg("run").args(&args).args(["--ranks", &ranks.to_string()]).env("PTO_LANG", "en").output()?;
        if one.status.code() != many.status.code() || parameters(&one)? != parameters(&many)? {
            return Err(format!("{}:\n{}\n{}", file.display(), said(&one), said(&many)).into());
        }
    }
    Ok(())
}

/// In CI, only some: a launcher takes half a second.
fn programs(launcher: InstalledLauncher) -> Result<(), Failed> {
    let all = all_programs()?;
    let every = std::env::var("MPI_PROGRAMS").is_ok_and(|value| value == "all");
    same(launcher, false, if every { &all } else { &all[..3.min(all.len())] })
}

fn copied(launcher: InstalledLauncher) -> Result<(), Failed> {
    let all = all_programs()?;
    let every = std::env::var("MPI_PROGRAMS").is_ok_and(|value| value == "all");
    same(launcher, true, if every { &all } else { &all[..3.min(all.len())] })
}

fn a_deadlock(launcher: InstalledLauncher) -> Result<(), Failed> {
    let file = root().join("tests/race/rank_waits_before_it_tells.pto");
    for copies in [false, true] {
        let said = said(&launcher.run(2, copies, &[file.to_str().unwrap_or_default()])?);
        if !(said.contains("PTO-E0712") && said.contains("on rank 0 waits") && said.contains("on rank 1 waits")) {
            return Err(said.into());
        }
    }
    Ok(())
}

fn a_number_of_ranks(launcher: InstalledLauncher) -> Result<(), Failed> {
    let file = root().join("examples/all_reduce.pto");
    let out = launcher.run(2, false, &[file.to_str().unwrap_or_default(), "--ranks", "4"])?;
    let said = said(&out);
    let is_named = said.contains("--ranks says 4, and 2 ranks were launched") && !out.status.success();
    if is_named { Ok(()) } else { Err(said.into()) }
}

fn different_programs(launcher: InstalledLauncher) -> Result<(), Failed> {
    let pto = env!("CARGO_BIN_EXE_pto");
    let file = |name: &str| root().join("tests/race").join(name).to_string_lossy().into_owned();
    let (one, other) = (file("rank_waits_before_it_tells.fixed.pto"), file("notify_overtakes_store.fixed.pto"));
    let programs = said(&launcher.run_each(&[(1, &[pto, "run", &one]), (1, &[pto, "run", &other])], false)?);
    let blocks = [pto, "run", &one, "--blocks", "2"];
    let options = said(&launcher.run_each(&[(1, &[pto, "run", &one]), (1, &blocks)], true)?);
    let named = programs.contains("rank 1 has another program than rank 0")
        && options.contains("rank 1 has other options than rank 0");
    if named { Ok(()) } else { Err(format!("{programs}\n{options}").into()) }
}

fn a_late_rank(launcher: InstalledLauncher) -> Result<(), Failed> {
    let pto = env!("CARGO_BIN_EXE_pto");
    let file = root().join("tests/race/rank_waits_before_it_tells.fixed.pto").to_string_lossy().into_owned();
    let late = format!("sleep 1; exec {pto} run {file}");
    let out = launcher.run_each(&[(1, &[pto, "run", &file]), (1, &["sh", "-c", &late])], false)?;
    if out.status.success() && said(&out).contains("told@1") { Ok(()) } else { Err(said(&out).into()) }
}
