//! A line that says how far a long run is.

use pto::isa::text;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Runs shorter than this say nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(100);
const CLEAR_LINE: &str = "\r\u{1b}[2K";

/// Calls a function with a counter and shows the counter on the terminal, if there is one, until the function is done.
pub(crate) fn watch<T>(total: u64, work: impl FnOnce(&AtomicU64) -> T) -> T {
    let counter = AtomicU64::new(0);
    show(|elapsed| line(counter.load(Ordering::Relaxed), total, elapsed), || work(&counter))
}

/// Calls a function and shows a line on the terminal, if there is one, until the function is done.
pub(crate) fn show<T>(line: impl Fn(Duration) -> String + Sync, work: impl FnOnce() -> T) -> T {
    if crate::host::is_memory() || !std::io::stderr().is_terminal() {
        return work();
    }
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let waiting = waiting;
            let start = Instant::now();
            let mut patience = PATIENCE;
            while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(patience) {
                patience = INTERVAL;
                let line = line(start.elapsed());
                // A terminal that cannot be written to is no reason to stop.
                let _ = write!(std::io::stderr(), "{CLEAR_LINE}{line}");
            }
            if patience == INTERVAL {
                let _ = write!(std::io::stderr(), "{CLEAR_LINE}");
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// `[#######-----------------------]  25%  12 s`
fn line(count: u64, total: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    // The total is an estimate: it is too small where control flow depends on data.
    if count >= total {
        return text!("{count} done  {seconds} s", count, seconds);
    }
    let share = count as f64 / total as f64;
    let full = (share * 30.0) as usize;
    format!("[{}{}] {:3.0}%  {seconds} s", "#".repeat(full), "-".repeat(30 - full), share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_a_quarter() {
        let text = line(25, 100, Duration::from_secs(12));
        assert_eq!(text, "[#######-----------------------]  25%  12 s");
        assert_eq!(line(25, 0, Duration::from_secs(12)), "25 done  12 s");
    }
}
