//! Requests, their answers, and notifications.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Write};

/// What an answer says it is for: a number or a text that the editor chose.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct RequestId(Value);

impl RequestId {
    /// `None` for what cannot name a request.
    pub(crate) fn new(json: &Value) -> Option<Self> {
        (json.is_number() || json.is_string()).then(|| Self(json.clone()))
    }
}

/// A message of the editor.
#[derive(Debug)]
pub(crate) enum EditorMessage {
    Request {
        id: RequestId,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of the server; nothing for an error.
    Response(Option<Value>),
}

impl EditorMessage {
    /// Reads a message; `None` if it is none.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct AnyMessage {
            #[serde(default)]
            id: Value,
            method: Option<String>,
            #[serde(default)]
            params: Value,
            result: Option<Value>,
        }
        let AnyMessage { id, method, params, result } = serde_json::from_slice(body).ok()?;
        match (RequestId::new(&id), method) {
            (Some(id), Some(method)) => Some(Self::Request { id, method, params }),
            (None, Some(method)) => Some(Self::Notification { method, params }),
            (Some(_), None) => Some(Self::Response(result)),
            (None, None) => None,
        }
    }

    /// The name of a notification.
    pub(crate) fn notification(&self) -> Option<&str> {
        match self {
            Self::Notification { method, .. } => Some(method),
            _ => None,
        }
    }

    /// What it is about, for reports.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Request { method, .. } | Self::Notification { method, .. } => method,
            Self::Response(_) => "an answer",
        }
    }
}

/// Why a request is refused, as the protocol numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ErrorCode {
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    InternalError = -32603,
    ServerNotInitialized = -32002,
    RequestCancelled = -32800,
    ContentModified = -32801,
    RequestFailed = -32803,
}

/// A message of the server.
#[derive(Debug, Serialize)]
pub(crate) struct ServerMessage {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<RequestId>,
    #[serde(flatten)]
    body: MessageBody,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum MessageBody {
    Call {
        method: String,
        #[serde(skip_serializing_if = "Value::is_null")]
        params: Value,
    },
    Result {
        result: Value,
    },
    Error {
        error: ErrorReport,
    },
}

#[derive(Debug, Serialize)]
struct ErrorReport {
    code: i32,
    message: String,
}

impl ServerMessage {
    fn new(id: Option<RequestId>, body: MessageBody) -> Self {
        Self { jsonrpc: "2.0", id, body }
    }

    pub(crate) fn request(number: i32, method: &str, params: Value) -> Self {
        Self::new(Some(RequestId(number.into())), MessageBody::Call { method: method.to_string(), params })
    }

    pub(crate) fn notification(method: &str, params: Value) -> Self {
        Self::new(None, MessageBody::Call { method: method.to_string(), params })
    }

    pub(crate) fn result(id: RequestId, result: Value) -> Self {
        Self::new(Some(id), MessageBody::Result { result })
    }

    pub(crate) fn error(id: RequestId, code: ErrorCode, message: String) -> Self {
        Self::new(Some(id), MessageBody::Error { error: ErrorReport { code: code as i32, message } })
    }

    /// Writes it with the header that says how long it is.
    pub(crate) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let text = serde_json::to_string(self)?;
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_told_apart() {
        let read = |json: Value| EditorMessage::read(json.to_string().as_bytes());
        for id in [json!(7), json!("7"), json!(1_u64 << 40)] {
            let message = read(json!({ "id": id, "method": "m", "params": [1] })).expect("a request");
            let EditorMessage::Request { id: read, method, params } = message else { panic!("a request") };
            assert_eq!((read.0, &*method, params), (id, "m", json!([1])));
        }
        for json in [json!({ "method": "exit" }), json!({ "id": null, "method": "exit", "params": null })] {
            assert_eq!(read(json).expect("a notification").notification(), Some("exit"));
        }
        let is_answer = |json: Value, answer: Option<Value>| matches!(read(json), Some(EditorMessage::Response(read)) if read == answer);
        assert!(is_answer(json!({ "id": 1, "result": [2] }), Some(json!([2]))));
        assert!(is_answer(json!({ "id": 1, "error": { "code": -1, "message": "no" } }), None));
        for none in [json!(7), json!([]), json!({}), json!({ "id": 1, "method": 2 }), json!({ "params": {} })] {
            assert!(read(none).is_none());
        }
    }

    #[test]
    fn messages_are_written_as_json_rpc() {
        let written = |message: ServerMessage| serde_json::to_string(&message).expect("JSON");
        let id = || RequestId(json!("a"));
        for (message, json) in [
            (ServerMessage::result(id(), Value::Null), r#"{"jsonrpc":"2.0","id":"a","result":null}"#),
            (
                ServerMessage::error(id(), ErrorCode::RequestFailed, "why".into()),
                r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32803,"message":"why"}}"#,
            ),
            (ServerMessage::request(3, "ask", Value::Null), r#"{"jsonrpc":"2.0","id":3,"method":"ask"}"#),
            (ServerMessage::notification("say", json!({})), r#"{"jsonrpc":"2.0","method":"say","params":{}}"#),
        ] {
            assert_eq!(written(message), json);
        }
        let mut bytes = Vec::new();
        ServerMessage::notification("é", Value::Null).write(&mut bytes).expect("it is written");
        assert_eq!(bytes, "Content-Length: 31\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"é\"}".as_bytes());
    }
}
