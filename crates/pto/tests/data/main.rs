//! Tests made of files: programs with what is found in them, vectors of instructions, recorded cases.

mod files;
mod levels;
mod ops;
mod recorded;

fn main() {
    let arguments = libtest_mimic::Arguments::from_args();
    let vectors = ops::trials().into_iter().chain(levels::trials());
    let trials = files::trials().into_iter().chain(vectors).chain(recorded::trials()).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
