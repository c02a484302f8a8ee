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
mod protocol;
mod refusal;
mod requests;
mod settings;
mod start;
mod workspace;

use super::{CommandResult, Failure, Outcome, warn};
use pto::isa::text;
use start::NoStart;
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
    let server = start::server(connection).map_err(failed)?;
    let ended = server.serve();
    // The last answers are written; if that fails, the editor is gone.
    let _ = writer.join();
    match ended {
        true => Ok(Outcome::Clean),
        false => Ok(Outcome::Problems),
    }
}

/// Why no conversation with the editor began.
fn failed(why: NoStart) -> Failure {
    Failure(match why {
        NoStart::InputEnded => {
            text!("the input ended before an editor sent `initialize` and `initialized`").to_string()
        }
        NoStart::Unexpected(error) => text!("the editor does not follow the protocol: {error}", error),
    })
}
