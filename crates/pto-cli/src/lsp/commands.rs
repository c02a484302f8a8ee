//! Commands of code lenses and palettes: their answer is the report, as the command line prints it.

use super::capabilities::COMMANDS;
use super::files::file_name;
use super::jobs::JobPurpose;
use super::loop_state::LanguageServer;
use super::protocol::{ErrorCode, RequestId};
use super::refusal::{LspAnswer, Refusal};
use crate::explain;
use pto::Target;
use pto::isa::text;
use serde_json::{Value, json};

impl LanguageServer {
    /// Executes a command; nothing if its answer comes later.
    pub(super) fn execute(&mut self, id: RequestId, params: &Value) -> Option<LspAnswer> {
        let command = params.get("command").and_then(Value::as_str).unwrap_or_default();
        let arguments: Vec<Value> = params.get("arguments").and_then(Value::as_array).cloned().unwrap_or_default();
        match command.strip_prefix("pto.").filter(|_| COMMANDS.contains(&command)) {
            Some("target") => Some(self.switch_target(arguments.first())),
            Some("explain") => Some(self.explain(arguments.first())),
            Some(verb) => self.run_program(id, verb, &arguments).err().map(Err),
            None => {
                Some(Err(Refusal::new(ErrorCode::InvalidParams, text!("there is no command `{command}`", command))))
            }
        }
    }

    /// Sets the target of all files; without a name each file decides again. The answer is the target.
    fn switch_target(&mut self, name: Option<&Value>) -> LspAnswer {
        let target = match name.and_then(Value::as_str) {
            None | Some("auto") => None,
            Some(name) => Some(Target::parse(name).ok_or_else(|| {
                let legal = Target::ALL.map(Target::name).join(", ");
                Refusal::new(ErrorCode::InvalidParams, text!("no such target: {name}; there are {legal}", name, legal))
            })?),
        };
        self.settings.target = target;
        self.apply_settings();
        Ok(target.map_or("auto", Target::name).into())
    }

    /// The page of a diagnostic, as `pto explain` prints it.
    fn explain(&self, id: Option<&Value>) -> LspAnswer {
        let code = explain::find(id.and_then(Value::as_str).unwrap_or_default());
        let code = code.map_err(|why| Refusal::new(ErrorCode::InvalidParams, why.0))?;
        let page = explain::page(code.entry());
        if self.settings.show_reports {
            self.notify("window/showMessage", json!({ "type": 3, "message": page }));
        }
        Ok(page.into())
    }

    /// Starts `pto VERB` on an open file: its address, a function, and values of parameters.
    fn run_program(&mut self, id: RequestId, verb: &str, arguments: &[Value]) -> Result<(), Refusal> {
        let words: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
        let [uri, rest @ ..] = &words[..] else {
            return Err(Refusal::new(ErrorCode::InvalidParams, text!("the first argument is the address of a file")));
        };
        let file = self.files.get(*uri);
        let not_open = || Refusal::new(ErrorCode::InvalidParams, text!("{file} is not open", file = uri));
        let file = file.ok_or_else(not_open)?;
        let (text, target) = (file.text().to_string(), file.document().target());
        let mut command = vec![verb.to_string(), "-".to_string()];
        command.extend(rest.iter().skip(1).filter(|value| !value.starts_with('-')).map(|value| value.to_string()));
        if let Some(function) = rest.first().filter(|name| !name.is_empty() && verb != "plan") {
            command.extend(["--func".to_string(), function.to_string()]);
        }
        command.extend(["--target".to_string(), target.name().to_string()]);
        let title = format!("pto {verb}");
        let file = file_name(uri);
        let started = self.start(JobPurpose::Command { id, title, file }, &command, &text, None);
        started.then_some(()).ok_or_else(|| Refusal::new(ErrorCode::RequestFailed, text!("it could not be started")))
    }
}
