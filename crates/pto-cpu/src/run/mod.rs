//! Executing a plan.

mod accesses;
mod arguments;
mod collected;
mod core;
mod data;
mod done;
mod execute;
mod factors;
mod fail;
mod far;
mod follow;
mod follow_numbers;
mod formula;
mod global;
mod inspect;
mod issue;
mod iterations;
mod kernel;
mod launch;
mod links;
mod local;
mod measure;
mod number_rows;
mod observe;
mod outside;
mod peers;
mod pipes;
mod place;
mod places;
mod print;
mod printf;
mod progress;
mod remains;
mod reorder;
mod repeats;
mod replay;
mod report;
mod report_bytes;
mod rules;
mod scalar;
mod schedule;
mod shared;
mod spin;
mod strip_windows;
mod strips;
mod team;
mod tell;
mod together;
mod transfer;
mod unwritten;
mod written;

pub use done::StepDone;
pub use formula::Formula;
pub use launch::Launch;
pub use measure::{Extent, Known, Measure};
pub use number_rows::{ElementNumber, numbers_of};
pub use observe::{
    Access, Action, AddressSpace, Answer, Atomic, CoreId, DEVICE, Detail, Event, Flag, Observer, Ring, Signal,
    SignalWord, StoredWord,
};
pub use peers::{PeerRanks, PeerRows, PeerStop, PeerWordChange};
pub use places::{KeptIn, RegisterChange, RegisterSnapshot, TilePlace, ViewPlace};
pub use remains::{Kept, Remains, TileContents};
pub use replay::{Replay, ReplayMemory};
pub use report_bytes::{diagnostics_from_bytes, diagnostics_to_bytes};
pub use tell::CACHE_LINE;
