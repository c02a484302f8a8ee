//! What ranks tell each other.

use crate::Failure;
use crate::program::{ArgContent, BoundParam, Stop};
use pto::Diagnostic;
use pto::cpu::{Arg, RunReport, diagnostics_from_bytes, diagnostics_to_bytes};
use pto::data::{Array, DataError};
use pto::isa::{DType, ScalarType, text};
use pto_ranks::RankConnection;
use serde::{Deserialize, Serialize};

/// What a rank says when it is ready to run, or is not.
#[derive(Serialize, Deserialize)]
pub(super) struct RankStart {
    pub failure: Option<RankFailure>,
    /// CRC-32 of the program.
    pub program: u32,
    /// Options that must be the same on all ranks, as text.
    pub options: String,
    pub params: Vec<RankParam>,
}

impl RankStart {
    /// A rank that is not ready.
    pub fn failed(failure: RankFailure) -> Self {
        Self { failure: Some(failure), program: 0, options: String::new(), params: Vec::new() }
    }
}

/// Why a rank does not go on.
#[derive(Serialize, Deserialize)]
pub(super) enum RankFailure {
    Usage(String),
    /// Diagnostics, as bytes.
    Problems(Vec<u8>),
}

impl RankFailure {
    pub fn of(stop: &Stop) -> Self {
        match stop {
            Stop::Failure(Failure(text)) => Self::Usage(text.clone()),
            Stop::Problems(problems) => Self::Problems(diagnostics_to_bytes(problems)),
        }
    }

    pub fn into_stop(self) -> Stop {
        match self {
            Self::Usage(text) => Stop::Failure(Failure(text)),
            Self::Problems(bytes) => Stop::Problems(diagnostics_from_bytes(&bytes).unwrap_or_default()),
        }
    }
}

/// What became of the program on a rank.
#[derive(Serialize, Deserialize)]
pub(super) enum RankOutcome {
    /// The report, as bytes.
    Report(Vec<u8>),
    Failure(RankFailure),
}

impl RankOutcome {
    pub fn of(ran: &Result<RunReport, Vec<Diagnostic>>) -> Self {
        match ran {
            Ok(report) => Self::Report(report.to_bytes()),
            Err(problems) => Self::Failure(RankFailure::Problems(diagnostics_to_bytes(problems))),
        }
    }

    pub fn into_result(self) -> Result<RunReport, Vec<Diagnostic>> {
        match self {
            Self::Report(bytes) => Ok(RunReport::from_bytes(&bytes).unwrap_or_default()),
            Self::Failure(failure) => match failure.into_stop() {
                Stop::Problems(problems) => Err(problems),
                Stop::Failure(_) => Err(Vec::new()),
            },
        }
    }
}

/// A parameter of a rank.
#[derive(Serialize, Deserialize)]
pub(super) struct RankParam {
    name: String,
    origin: String,
    inferred: bool,
    per_column: u64,
    content: RankContent,
}

/// What the parameter is given; numbers in memory lie in the memory of the rank.
#[derive(Serialize, Deserialize)]
enum RankContent {
    /// The type, and the number.
    Int(String, i64),
    /// The type, and the bits of the number.
    Float(String, u64),
    Memory(RankArray),
    Tensor(RankArray),
    Tile(RankArray, (u64, u64)),
    Remote(usize, usize),
}

/// Type and extents of numbers in memory.
#[derive(Serialize, Deserialize)]
struct RankArray {
    dtype: String,
    shape: Vec<u64>,
    bytes: usize,
}

impl RankArray {
    fn of(array: &Array) -> Self {
        let (dtype, shape) = (array.dtype().name().to_string(), array.shape().to_vec());
        Self { dtype, shape, bytes: array.bytes().len() }
    }

    fn dtype(&self) -> Option<DType> {
        DType::parse(&self.dtype)
    }

    fn zeros(&self) -> Result<Array, DataError> {
        let dtype = self.dtype().ok_or_else(|| DataError::new(text!("another rank has an unknown type")))?;
        Array::zeros(dtype, &self.shape)
    }
}

impl RankParam {
    pub fn of(bound: &BoundParam) -> Self {
        let content = match &bound.content {
            ArgContent::Int(ty, n) => RankContent::Int(ty.mlir().to_string(), *n),
            ArgContent::Float(ty, x) => RankContent::Float(ty.mlir().to_string(), x.to_bits()),
            ArgContent::Memory(array) => RankContent::Memory(RankArray::of(array)),
            ArgContent::Tensor(array) => RankContent::Tensor(RankArray::of(array)),
            ArgContent::Tile(array, valid) => RankContent::Tile(RankArray::of(array), *valid),
            ArgContent::Remote(rank, param) => RankContent::Remote(*rank, *param),
        };
        let (name, origin) = (bound.name.clone(), bound.origin.clone());
        Self { name, origin, inferred: bound.inferred, per_column: bound.per_column, content }
    }

    fn array(&self) -> Option<&RankArray> {
        match &self.content {
            RankContent::Memory(array) | RankContent::Tensor(array) | RankContent::Tile(array, _) => Some(array),
            RankContent::Int(..) | RankContent::Float(..) | RankContent::Remote(..) => None,
        }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.array().map_or(0, |array| array.bytes)
    }

    /// What the engine gets: memory of all ranks is reached through the connection.
    pub fn arg<'a>(&'a self, ranks: &'a dyn RankConnection, rank: usize, param: usize) -> Arg<'a> {
        let memory = || ranks.argument(rank, param, self.array().and_then(RankArray::dtype));
        match &self.content {
            RankContent::Int(_, n) => Arg::Int(*n),
            RankContent::Float(_, bits) => Arg::Float(f64::from_bits(*bits)),
            RankContent::Memory(_) => memory(),
            RankContent::Tensor(array) if self.per_column <= 1 => memory().shape(&array.shape),
            RankContent::Tensor(_) => memory(),
            RankContent::Tile(_, (rows, cols)) => memory().valid(*rows, cols.div_ceil(self.per_column)),
            RankContent::Remote(rank, param) => Arg::Remote { rank: *rank, param: *param },
        }
    }

    /// The parameter as reports have it, with zeros in memory.
    pub fn bound(&self) -> Result<BoundParam, DataError> {
        let scalar = |name: &str| ScalarType::parse(name).unwrap_or(ScalarType::Index);
        let content = match &self.content {
            RankContent::Int(ty, n) => ArgContent::Int(scalar(ty), *n),
            RankContent::Float(ty, bits) => ArgContent::Float(scalar(ty), f64::from_bits(*bits)),
            RankContent::Memory(array) => ArgContent::Memory(array.zeros()?),
            RankContent::Tensor(array) => ArgContent::Tensor(array.zeros()?),
            RankContent::Tile(array, valid) => ArgContent::Tile(array.zeros()?, *valid),
            RankContent::Remote(rank, param) => ArgContent::Remote(*rank, *param),
        };
        let (name, origin) = (self.name.clone(), self.origin.clone());
        Ok(BoundParam { name, content, origin, inferred: self.inferred, per_column: self.per_column })
    }
}
