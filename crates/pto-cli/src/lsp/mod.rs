//! `pto lsp`: a language server on standard input and output.
//!
//! The analysis is in `pto-ide`; here are the protocol and the settings. One thread answers requests in the order in which they
//! come. Programs are run by processes of their own ([`jobs`]), which can be cancelled and cannot take the server with them.

mod capabilities;
mod commands;
mod convert;
mod files;
mod findings;
mod jobs;
mod loop_state;
mod notifications;
mod open;
mod pipes;
mod refusal;
mod requests;
mod settings;
mod workspace;

use super::{CommandResult, Failure, Outcome, warn};
use loop_state::LanguageServer;
use lsp_server::ProtocolError;
use pto::isa::text;
use std::io::IsTerminal;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Use standard input and output; editors pass it, and nothing else is possible
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let Args { stdio: _ } = args;
    if std::io::stdin().is_terminal() {
        warn(text!("`pto lsp` talks to an editor on standard input; docs/editors.md says how to set one up"));
    }
    let (connection, writer) = pipes::stdio();
    let (id, params) = connection.initialize_start().map_err(|e| failed(&e))?;
    let (server, answer) = LanguageServer::new(connection, &params);
    server.connection().initialize_finish(id, answer).map_err(|e| failed(&e))?;
    let ended = server.serve();
    // The last answers are written; if that fails, the editor is gone.
    let _ = writer.join();
    match ended {
        true => Ok(Outcome::Clean),
        false => Ok(Outcome::Problems),
    }
}

/// Why no conversation with the editor began.
fn failed(error: &ProtocolError) -> Failure {
    Failure(match error.channel_is_disconnected() {
        true => text!("the input ended before an editor sent `initialize` and `initialized`").to_string(),
        false => text!("the editor does not follow the protocol: {error}", error),
    })
}
