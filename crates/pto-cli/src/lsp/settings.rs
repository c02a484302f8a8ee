//! What the user can set: `pto.target`, `pto.onSave`, `pto.hints`, `pto.showReports`.

use pto::Target;
use pto_ide::HintKind;
use serde_json::Value;

/// What the server does unless told otherwise, and what it was told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// The target of all files; without it, each file decides.
    pub(super) target: Option<Target>,
    /// The checks that run when a file is saved.
    pub(super) race_on_save: bool,
    pub(super) perf_on_save: bool,
    /// Seconds that a check on save may take.
    pub(super) seconds: u64,
    pub(super) hints: Vec<HintKind>,
    /// Reports of commands are shown as messages, too.
    pub(super) show_reports: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target: None,
            race_on_save: true,
            perf_on_save: true,
            seconds: 20,
            hints: vec![HintKind::Type, HintKind::Address, HintKind::Cost],
            show_reports: true,
        }
    }
}

impl Settings {
    /// Takes over what a JSON object sets, below `pto` or at its top. What it does not name, or names wrongly, stays.
    pub(super) fn update(&mut self, json: &Value) {
        let json = json.get("pto").unwrap_or(json);
        if let Some(target) = json.get("target") {
            self.target = target.as_str().and_then(Target::parse);
        }
        let words = |name: &str| {
            let list = json.get(name)?.as_array()?;
            Some(list.iter().filter_map(|w| w.as_str().map(str::to_string)).collect::<Vec<_>>())
        };
        if let Some(checks) = words("onSave") {
            self.race_on_save = checks.iter().any(|c| c == "race");
            self.perf_on_save = checks.iter().any(|c| c == "perf");
        }
        if let Some(kinds) = words("hints") {
            let named = [("types", HintKind::Type), ("addresses", HintKind::Address), ("costs", HintKind::Cost)];
            self.hints = named.into_iter().filter(|(name, _)| kinds.iter().any(|k| k == name)).map(|n| n.1).collect();
        }
        self.seconds = json.get("onSaveSeconds").and_then(Value::as_u64).unwrap_or(self.seconds);
        self.show_reports = json.get("showReports").and_then(Value::as_bool).unwrap_or(self.show_reports);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_are_read_leniently() {
        let mut settings = Settings::default();
        settings.update(&json!({ "pto": { "target": "a5", "onSave": ["race"], "hints": "none" } }));
        assert_eq!((settings.target, settings.perf_on_save), (Some(Target::A5), false));
        assert_eq!(settings.hints.len(), 3);
        settings.update(&json!({ "target": null, "onSaveSeconds": -1 }));
        assert_eq!((settings.target, settings.seconds), (None, 20));
        settings.update(&json!([1]));
        assert!(settings.race_on_save);
    }
}
