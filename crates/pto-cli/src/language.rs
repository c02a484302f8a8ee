//! The language of help, messages and pages, and the help of the command line in it.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use pto::isa::text;
use pto::isa::text::{Language, language, translate};
use std::ffi::OsString;

/// The language that the arguments and the environment ask for. What programs read is English: with `--json`, always.
pub(crate) fn chosen(args: &[OsString]) -> Language {
    let args: Vec<&str> = args.iter().take_while(|a| *a != "--").filter_map(|a| a.to_str()).collect();
    if args.contains(&"--json") {
        return Language::English;
    }
    let after = args.iter().position(|a| *a == "--lang").and_then(|at| args.get(at + 1)).copied();
    let stated = after.or_else(|| args.iter().find_map(|a| a.strip_prefix("--lang=")));
    if let Some(language) = stated.and_then(Language::of_locale) {
        return language;
    }
    let variables = ["PTO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"];
    let set = variables.iter().filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty());
    set.and_then(|value| Language::of_locale(&value)).unwrap_or_default()
}

/// The command line with its help in the current language.
pub(crate) fn localised(mut command: Command) -> Command {
    if language() == Language::English {
        return command;
    }
    // What `clap` adds is translated too.
    command.build();
    translated(command)
}

fn translated(command: Command) -> Command {
    let about = command.get_about().map(plain);
    let long_about = command.get_long_about().map(plain);
    let after = command.get_after_help().map(plain);
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_string()).collect();
    let mut command = command
        .help_template(text!("{about-with-newline}\nUsage: {usage}\n\n{all-args}{after-help}"))
        .subcommand_help_heading(text!("Commands"))
        .mut_args(argument);
    if let Some(about) = about {
        command = command.about(translate(&about).to_string());
    }
    if let Some(about) = long_about {
        command = command.long_about(translate(&about).to_string());
    }
    if let Some(after) = after {
        command = command.after_help(translate(&after).to_string());
    }
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, translated))
}

fn plain(text: &StyledStr) -> String {
    text.to_string()
}

/// An argument with its help, and what `clap` appends to it, in the current language.
fn argument(arg: Arg) -> Arg {
    let heading = if arg.is_positional() { text!("Arguments") } else { text!("Options") };
    let notes = notes(&arg);
    let with_notes = |text: &StyledStr| {
        let text = plain(text);
        let translated = translate(&text);
        if notes.is_empty() { translated.to_string() } else { format!("{translated} {notes}") }
    };
    let (help, long) = (arg.get_help().map(with_notes), arg.get_long_help().map(with_notes));
    let mut arg = arg.help_heading(heading).hide_default_value(true).hide_possible_values(true);
    if let Some(help) = help.or_else(|| (!notes.is_empty()).then(|| notes.clone())) {
        arg = arg.help(help);
    }
    if let Some(long) = long {
        arg = arg.long_help(long);
    }
    arg
}

/// The default and the values of an argument.
fn notes(arg: &Arg) -> String {
    let values = arg.get_possible_values();
    let shown = values.iter().filter(|v| !v.is_hide_set());
    let shown: Vec<String> = shown
        .map(|v| match v.get_help() {
            Some(help) => format!("{}（{}）", v.get_name(), translate(&plain(help))),
            None => v.get_name().to_string(),
        })
        .collect();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    let takes_value = arg.get_action().takes_values();
    let mut notes = Vec::new();
    if takes_value && !defaults.is_empty() && !arg.is_hide_default_value_set() {
        notes.push(text!("[default: {value}]", value = defaults.join(" ")));
    }
    if takes_value && !shown.is_empty() && !arg.is_hide_possible_values_set() {
        notes.push(text!("[possible values: {values}]", values = shown.join(", ")));
    }
    notes.join(" ")
}

/// A wrong command line, in the current language; nothing where `clap`'s own words are the right ones.
pub(crate) fn usage_error(error: &clap::Error) -> Option<String> {
    if language() == Language::English {
        return None;
    }
    let get = |kind: ContextKind| error.get(kind).map(shown).unwrap_or_default();
    let (arg, value) = (get(ContextKind::InvalidArg), get(ContextKind::InvalidValue));
    let message = match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => text!("`{arg}` needs a value", arg),
        ErrorKind::InvalidValue => text!("`{value}` is not a value of `{arg}`", value, arg),
        ErrorKind::ValueValidation => text!("`{value}` is not a legal value of `{arg}`", value, arg),
        ErrorKind::UnknownArgument => text!("unexpected argument `{arg}`", arg),
        ErrorKind::InvalidSubcommand => {
            text!("there is no command `{name}`", name = get(ContextKind::InvalidSubcommand))
        }
        ErrorKind::ArgumentConflict if get(ContextKind::PriorArg) == arg => text!("`{arg}` is given twice", arg),
        ErrorKind::ArgumentConflict => {
            text!("`{arg}` cannot be used together with `{other}`", arg, other = get(ContextKind::PriorArg))
        }
        ErrorKind::MissingRequiredArgument => text!("missing: {arg}", arg),
        ErrorKind::MissingSubcommand => text!("a command is missing").to_string(),
        ErrorKind::InvalidUtf8 => text!("an argument is not UTF-8").to_string(),
        _ => text!("wrong number of values for `{arg}`", arg),
    };
    let mut lines = vec![format!("\u{1b}[1;31m{}\u{1b}[0m: {message}", text!("error"))];
    let hints = [
        (ContextKind::ValidValue, text!("legal")),
        (ContextKind::ValidSubcommand, text!("legal")),
        (ContextKind::SuggestedArg, text!("did you mean")),
        (ContextKind::SuggestedValue, text!("did you mean")),
        (ContextKind::SuggestedSubcommand, text!("did you mean")),
    ];
    let hints = hints.into_iter().map(|(kind, word)| (word, get(kind))).filter(|(_, hint)| !hint.is_empty());
    lines.extend(hints.map(|(word, hint)| format!("  {word}: {hint}")));
    lines.push(text!("  help: `pto --help` and `pto COMMAND --help` show the usage").to_string());
    Some(lines.join("\n"))
}

fn shown(value: &ContextValue) -> String {
    match value {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(list) => list.join(", "),
        ContextValue::StyledStr(text) => plain(text),
        ContextValue::StyledStrs(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        ContextValue::Number(n) => n.to_string(),
        ContextValue::Bool(b) => b.to_string(),
        _ => String::new(),
    }
}

/// The texts of the command line, which are keys of the catalogue.
#[doc(hidden)]
pub fn texts(command: &Command) -> Vec<String> {
    let own = [command.get_about(), command.get_long_about(), command.get_after_help()];
    let mut texts: Vec<String> = own.into_iter().flatten().map(plain).collect();
    for arg in command.get_arguments() {
        texts.extend([arg.get_help(), arg.get_long_help()].into_iter().flatten().map(plain));
        texts.extend(arg.get_possible_values().iter().filter_map(|v| v.get_help().map(plain)));
    }
    texts.extend(command.get_subcommands().flat_map(self::texts));
    texts
}
