//! The start of a conversation: `initialize`, its answer, `initialized`.

use super::loop_state::LanguageServer;
use super::pipes::{EditorConnection, ServerEvent};
use super::protocol::{EditorMessage, ErrorCode, RequestId, ServerMessage};
use serde_json::Value;

/// Why no conversation begins.
pub(super) enum NoStart {
    InputEnded,
    /// Something else was said.
    Unexpected(String),
}

/// Waits until an editor has introduced itself.
pub(super) fn server(connection: EditorConnection) -> Result<LanguageServer, NoStart> {
    let (id, params) = first_request(&connection)?;
    let (server, answer) = LanguageServer::new(connection, &params);
    let connection = server.connection();
    send(connection, ServerMessage::result(id, answer));
    let next = message(connection)?;
    match next.notification() {
        Some("initialized") => Ok(server),
        _ => Err(unexpected("initialized", &next)),
    }
}

/// The request `initialize`. Others are refused before it, and notifications dropped.
fn first_request(connection: &EditorConnection) -> Result<(RequestId, Value), NoStart> {
    loop {
        match message(connection)? {
            EditorMessage::Request { id, method, params } if method == "initialize" => return Ok((id, params)),
            EditorMessage::Request { id, method, .. } => {
                let why = format!("expected `initialize`, got `{method}`");
                send(connection, ServerMessage::error(id, ErrorCode::ServerNotInitialized, why));
            }
            EditorMessage::Notification { method, .. } if method != "exit" => {}
            other => return Err(unexpected("initialize", &other)),
        }
    }
}

fn unexpected(expected: &str, message: &EditorMessage) -> NoStart {
    NoStart::Unexpected(format!("expected `{expected}`, got `{}`", message.name()))
}

fn message(connection: &EditorConnection) -> Result<EditorMessage, NoStart> {
    match connection.events.recv() {
        Ok(ServerEvent::Message(message)) => Ok(message),
        // Nothing else works yet.
        _ => Err(NoStart::InputEnded),
    }
}

fn send(connection: &EditorConnection, message: ServerMessage) {
    // If the editor is gone, the input ends too.
    let _ = connection.sender.send(message);
}
