//! Tests made of files: transcripts of commands, and programs with the races in them. And those that need a tool which may be
//! absent, which are then shown as ignored.

mod cli;
mod compiled;
mod editors;
mod mpi;
mod page;
mod race;

fn main() {
    let arguments = libtest_mimic::Arguments::from_args();
    let trials = [cli::trials(), race::trials(), compiled::trials(), page::trials(), editors::trials(), mpi::trials()];
    let trials = trials.into_iter().flatten().collect();
    libtest_mimic::run(&arguments, trials).exit();
}
