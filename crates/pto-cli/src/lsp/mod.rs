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
mod refusal;
mod requests;
mod settings;
mod workspace;

use super::{CommandResult, Failure, Outcome};
use loop_state::LanguageServer;
use lsp_server::Connection;
use pto::isa::text;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Use standard input and output; editors pass it, and nothing else is possible
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let Args { stdio: _ } = args;
    let (connection, threads) = Connection::stdio();
    let failed =
        |error: &dyn std::fmt::Display| Failure(text!("the editor does not follow the protocol: {error}", error));
    let (id, params) = connection.initialize_start().map_err(|e| failed(&e))?;
    let (server, answer) = LanguageServer::new(connection, &params);
    server.connection().initialize_finish(id, answer).map_err(|e| failed(&e))?;
    let ended = server.serve();
    // The threads end when the editor closes the pipe; their errors say nothing more.
    drop(threads);
    match ended {
        true => Ok(Outcome::Clean),
        false => Ok(Outcome::Problems),
    }
}
