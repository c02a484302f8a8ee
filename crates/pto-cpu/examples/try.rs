//! Try.
use pto_cpu::*;
use pto_isa::Target;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let blocks: u32 = std::env::args().nth(2).map_or(1, |s| s.parse().unwrap());
    let (module, p) = pto_syntax::parse(&std::fs::read_to_string(&path).unwrap());
    assert!(p.is_empty(), "{p:?}");
    let checked = pto_check::check(module, Target::A2A3).expect("legal");
    let plan = match Plan::new(&checked, None, Options::default()) {
        Ok(p) => p,
        Err(d) => {
            println!("{d:?}");
            return;
        }
    };
    let launch = Launch { blocks, threads: 0 };
    let m = plan.measure(&[], launch).unwrap();
    println!("{:?} {m:?}", plan.params());
    let mut data: Vec<Vec<f32>> = m
        .extents
        .iter()
        .map(|e| (0..e.as_ref().map_or(0, |e| e.elements)).map(|i| ((i * 7919 % 1000) as f32) / 100.0 - 5.0).collect())
        .collect();
    for round in 0..5 {
        let mut args: Vec<Arg> = data.iter_mut().map(|d| Arg::write(d)).collect();
        let t = std::time::Instant::now();
        let r = plan.run(&mut args, launch);
        println!("{round}: {:?} {:?}", t.elapsed(), r);
    }
    let mut args: Vec<Arg> = data.iter_mut().map(|d| Arg::write(d)).collect();
    let (_, times) = plan.run_timed(&mut args, launch).unwrap();
    for t in times {
        println!("{:16} {:6} {:10} ns {:.0}", t.name, t.count, t.nanos, t.nanos as f64 / t.count as f64);
    }
    for d in &data {
        println!("{:?}", &d[..d.len().min(8)]);
    }
}
