//! The language server of PTO programs for Zed. Colours and indentation are in `languages/pto`.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree, serde_json};

struct PtoExtension;

impl zed::Extension for PtoExtension {
    fn new() -> Self {
        Self
    }

    /// `pto lsp`: the binary of the settings (`lsp.pto.binary.path`), or the one in the path.
    fn language_server_command(&mut self, id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree).ok().and_then(|settings| settings.binary);
        let (path, arguments) = settings.map_or((None, None), |binary| (binary.path, binary.arguments));
        let command = path.or_else(|| worktree.which("pto"));
        let command = command.ok_or("`pto` is not in the path: `cargo install --path crates/pto-cli` installs it")?;
        let args = arguments.unwrap_or_else(|| vec!["lsp".to_string()]);
        Ok(Command { command, args, env: worktree.shell_env() })
    }

    /// `lsp.pto.initialization_options`, as `docs/editors.md` lists them.
    fn language_server_initialization_options(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree);
        Ok(settings.ok().and_then(|settings| settings.initialization_options))
    }
}

zed::register_extension!(PtoExtension);
