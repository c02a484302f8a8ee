//! Answers of the server, and why there is none.

use super::protocol::ErrorCode;
use serde_json::Value;

/// Why a request has no answer.
pub(super) struct Refusal {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// What a message led to.
pub(super) type LspAnswer = Result<Value, Refusal>;
