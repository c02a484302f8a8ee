//! What the server can do, and what the editor can.

use super::convert::{MODIFIERS, ROLES};
use super::protocol::action_kind;
use pto_ide::PositionEncoding;
use serde_json::{Value, json};

/// The commands of `workspace/executeCommand`.
pub(super) const COMMANDS: [&str; 6] = ["pto.run", "pto.race", "pto.perf", "pto.plan", "pto.explain", "pto.target"];

/// What the editor says about itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EditorAbilities {
    pub(super) encoding: PositionEncoding,
    pub(super) snippets: bool,
    /// It answers `workspace/configuration`.
    pub(super) configuration: bool,
    /// It asks again for hints, colours and lenses when it is told to.
    pub(super) refresh: [bool; 3],
}

/// The requests of [`EditorAbilities::refresh`].
pub(super) const REFRESHES: [&str; 3] =
    ["workspace/inlayHint/refresh", "workspace/semanticTokens/refresh", "workspace/codeLens/refresh"];

impl EditorAbilities {
    pub(super) fn new(params: &Value) -> Self {
        let of = |path: &str| params.pointer(&format!("/capabilities{path}"));
        let has = |path: &str| of(path).and_then(Value::as_bool).unwrap_or(false);
        let encodings = of("/general/positionEncodings").and_then(Value::as_array).cloned().unwrap_or_default();
        let offers = |name: &str| encodings.iter().any(|e| e == name);
        let encoding = match () {
            () if offers("utf-8") => PositionEncoding::Utf8,
            () if offers("utf-32") && !offers("utf-16") => PositionEncoding::Utf32,
            () => PositionEncoding::Utf16,
        };
        let refresh =
            ["inlayHint", "semanticTokens", "codeLens"].map(|w| has(&format!("/workspace/{w}/refreshSupport")));
        Self {
            encoding,
            snippets: has("/textDocument/completion/completionItem/snippetSupport"),
            configuration: has("/workspace/configuration"),
            refresh,
        }
    }
}

/// The answer to `initialize`.
pub(super) fn answer(abilities: &EditorAbilities) -> Value {
    let encoding = match abilities.encoding {
        PositionEncoding::Utf8 => "utf-8",
        PositionEncoding::Utf16 => "utf-16",
        PositionEncoding::Utf32 => "utf-32",
    };
    let legend = json!({ "tokenTypes": ROLES.map(|(_, name)| name), "tokenModifiers": MODIFIERS });
    json!({
        "serverInfo": { "name": "pto", "version": env!("CARGO_PKG_VERSION") },
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
            "hoverProvider": true,
            "completionProvider": { "triggerCharacters": ["%", "!", "@", "#", "^", ".", "<", "("], "resolveProvider": true },
            "signatureHelpProvider": { "triggerCharacters": ["(", ",", "["], "retriggerCharacters": [")"] },
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "foldingRangeProvider": true,
            "semanticTokensProvider": { "legend": legend, "full": true, "range": true },
            "documentFormattingProvider": true,
            "documentRangeFormattingProvider": true,
            "inlayHintProvider": true,
            "codeActionProvider": { "codeActionKinds": [action_kind::QUICK_FIX, action_kind::REWRITE] },
            "codeLensProvider": {},
            "executeCommandProvider": { "commands": COMMANDS },
            "workspace": { "workspaceFolders": { "supported": true } },
        },
    })
}
