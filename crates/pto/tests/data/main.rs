//! Tests made of files: programs with what is found in them, vectors of instructions, recorded cases.

mod files;
mod ops;
mod recorded;

fn main() {
    let arguments = libtest_mimic::Arguments::from_args();
    let trials = files::trials().into_iter().chain(ops::trials()).chain(recorded::trials()).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
