//! Tests made of files: transcripts of commands, and programs with the races in them.

mod cli;
mod race;

fn main() {
    let arguments = libtest_mimic::Arguments::from_args();
    let trials = cli::trials().into_iter().chain(race::trials()).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
