//! The commands of the debugger: names, help, and what they do.

use super::session::DebugSession;
use super::stops::{StopOn, WatchTarget};
use pto::isa::table::distance;
use pto::isa::{Loc, text, text::translate, text_key};
use pto::trace::MemoryId;

/// A command: what it is called, what it takes, and what it does in a few words.
struct CommandRow {
    verb: Verb,
    /// The name, and shorter ones.
    names: &'static [&'static str],
    arguments: &'static str,
    help: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verb {
    Step,
    Back,
    Next,
    Previous,
    Finish,
    ReverseFinish,
    Continue,
    ReverseContinue,
    Until,
    ReverseUntil,
    Goto,
    Break,
    Watch,
    Delete,
    Print,
    List,
    Where,
    Info,
    Core,
    Block,
    Rank,
    Help,
    Quit,
}

const fn row(verb: Verb, names: &'static [&'static str], arguments: &'static str, help: &'static str) -> CommandRow {
    CommandRow { verb, names, arguments, help }
}

const COMMANDS: [CommandRow; 23] = [
    row(Verb::Step, &["step", "s", "stepi", "si"], "[N]", text_key!("execute N instructions of this core")),
    row(Verb::Back, &["back", "bs", "reverse-step", "rs"], "[N]", text_key!("take N instructions of this core back")),
    row(
        Verb::Next,
        &["next", "n"],
        "[N]",
        text_key!("step over loops: to the next instruction outside of inner loops"),
    ),
    row(Verb::Previous, &["reverse-next", "rn"], "[N]", text_key!("step back over loops")),
    row(Verb::Finish, &["finish", "fin"], "", text_key!("run to the end of the innermost loop")),
    row(Verb::ReverseFinish, &["reverse-finish", "rfin"], "", text_key!("go back to the start of the innermost loop")),
    row(
        Verb::Continue,
        &["continue", "c", "run", "r"],
        "",
        text_key!("run to the next breakpoint or watchpoint, or to the end"),
    ),
    row(
        Verb::ReverseContinue,
        &["reverse-continue", "rc"],
        "",
        text_key!("run backwards to a breakpoint or watchpoint, or to the start"),
    ),
    row(
        Verb::Until,
        &["until", "u"],
        "LINE[:ITERATION] | CONDITION",
        text_key!("run to a line, to an iteration there, or until a condition holds"),
    ),
    row(Verb::ReverseUntil, &["reverse-until", "ru"], "LINE[:ITERATION] | CONDITION", text_key!("the same backwards")),
    row(
        Verb::Goto,
        &["goto", "g"],
        "MOMENT | start | end",
        text_key!("go to a moment: so many instructions are executed then"),
    ),
    row(Verb::Break, &["break", "b"], "LINE [if CONDITION]", text_key!("stop before a line")),
    row(
        Verb::Watch,
        &["watch", "w"],
        "%VALUE | MEMORY[FIRST:END]",
        text_key!("stop after writes to a value, or to bytes of a memory"),
    ),
    row(Verb::Delete, &["delete", "d"], "[N]", text_key!("delete a breakpoint or watchpoint, or all")),
    row(Verb::Print, &["print", "p"], "%VALUE[ROWS, COLS] | EXPRESSION", text_key!("show numbers")),
    row(Verb::List, &["list", "l"], "[LINE]", text_key!("show the program around a line")),
    row(Verb::Where, &["where"], "", text_key!("show where this core is")),
    row(
        Verb::Info,
        &["info", "i"],
        "cores | pipes | flags | memory | values | breakpoints | run",
        text_key!("show the state of the machine"),
    ),
    row(Verb::Core, &["core"], "NAME", text_key!("choose a core of the block: cube, vec0, vec1")),
    row(Verb::Block, &["block"], "N", text_key!("choose a block")),
    row(Verb::Rank, &["rank"], "N", text_key!("choose a rank")),
    row(Verb::Help, &["help", "h", "?"], "[COMMAND]", text_key!("show the commands, or one of them")),
    row(Verb::Quit, &["quit", "q", "exit"], "", text_key!("leave the debugger")),
];

/// What `info` shows.
const TOPICS: [&str; 7] = ["cores", "pipes", "flags", "memory", "values", "breakpoints", "run"];

/// What a command gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reply {
    Text(String),
    /// The user is done.
    Quit,
}

impl DebugSession<'_> {
    /// Executes a command.
    ///
    /// # Errors
    /// A message, if the command is wrong or finds nothing.
    pub(crate) fn execute(&mut self, line: &str) -> Result<Reply, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
        let command = command(word)?;
        if command.arguments.is_empty() && !rest.is_empty() {
            return Err(text!("`{word}` takes no argument", word));
        }
        let is_needed = !command.arguments.is_empty() && !command.arguments.starts_with('[');
        if is_needed && rest.is_empty() {
            return Err(usage(command));
        }
        let text = match command.verb {
            Verb::Step => self.step(count(rest)?),
            Verb::Back => self.back(count(rest)?),
            Verb::Next => self.next(count(rest)?),
            Verb::Previous => self.previous(count(rest)?),
            Verb::Finish => self.finish()?,
            Verb::ReverseFinish => self.reverse_finish()?,
            Verb::Continue => self.resume(true)?,
            Verb::ReverseContinue => self.resume(false)?,
            Verb::Until => self.until(rest, true)?,
            Verb::ReverseUntil => self.until(rest, false)?,
            Verb::Goto => self.go(rest)?,
            Verb::Break => self.add_break(rest)?,
            Verb::Watch => self.add_watch(rest)?,
            Verb::Delete => self.delete(rest)?,
            Verb::Print => self.print(rest)?,
            Verb::List => self.list(rest)?,
            Verb::Where => self.here(),
            Verb::Info => self.info(rest)?,
            Verb::Core => self.choose_core(rest)?,
            Verb::Block => self.choose_block(self.core.rank, number(rest)?)?,
            Verb::Rank => self.choose_block(number(rest)?, self.core.block)?,
            Verb::Help => help(rest)?,
            Verb::Quit => return Ok(Reply::Quit),
        };
        Ok(Reply::Text(text))
    }

    fn until(&mut self, rest: &str, forward: bool) -> Result<String, String> {
        let rest = without_line_word(rest);
        if rest.bytes().all(|b| b.is_ascii_digit() || b == b':') {
            let numbers = rest.split(':').map(number).collect::<Result<Vec<u32>, _>>()?;
            return self.until_line(numbers[0], &numbers[1..], forward);
        }
        let condition = self.condition(rest)?;
        self.until_condition(&condition, forward)
    }

    fn go(&mut self, rest: &str) -> Result<String, String> {
        match rest {
            "start" => self.goto(0),
            "end" => self.goto(self.recording.len()),
            _ => {
                let position = rest.parse();
                let position =
                    position.map_err(|_| text!("`{rest}` is not a moment: a number, `start` or `end`", rest))?;
                self.goto(position)
            }
        }
    }

    fn add_break(&mut self, rest: &str) -> Result<String, String> {
        let (line, condition) = match rest.split_once(" if ") {
            Some((line, condition)) => (line.trim(), Some(condition.trim())),
            None => (rest, None),
        };
        let line = without_line_word(line);
        let wanted: u32 = line
            .parse()
            .map_err(|_| text!("`{line}` is not a line: `break 34`, `break 34 if %t.max() > 1e4`", line))?;
        let condition = condition.map(|c| Ok::<_, String>((c.to_string(), self.condition(c)?))).transpose()?;
        let Some(line) = self.index.executed_line(wanted) else {
            return Err(text!("nothing was executed from line {line} on", line = wanted));
        };
        let number = self.add_stop(StopOn::Line { line, condition });
        let statement = self.line_text(line);
        let text = text!("breakpoint {number} at line {line}: {statement}", number, line, statement);
        if line == wanted {
            return Ok(text);
        }
        Ok(text!("line {wanted} has no instruction that was executed; {text}", wanted, text))
    }

    fn add_watch(&mut self, rest: &str) -> Result<String, String> {
        let (target, text) = match super::condition::parse_part(rest) {
            Some(part) => {
                let part = part.map_err(|e| e.render(rest))?;
                if part.rows.is_some() || part.cols.is_some() {
                    return Err(
                        text!("a whole value is watched, or bytes of a memory: `watch UB[0x100:0x200]`").to_string()
                    );
                }
                let value = self.find(&part).map_err(|e| e.render(rest))?;
                (self.watched_value(value), format!("%{}", part.name))
            }
            None => {
                let (memory, bytes) = self.memory_range(rest)?;
                let text = self.bytes_text(memory, &bytes);
                (WatchTarget::Bytes(memory, bytes), text)
            }
        };
        let what = text.clone();
        let number = self.add_stop(StopOn::Write { text, target });
        Ok(text!("watchpoint {number}: writes to {what}", number, what))
    }

    /// `UB[0x100:0x200]`, `vec[256:512]`, `x[0:64]` for the memory of a parameter.
    fn memory_range(&self, text: &str) -> Result<(MemoryId, std::ops::Range<i64>), String> {
        let wrong =
            || text!("`{text}` is neither a value nor bytes of a memory: `watch %t`, `watch UB[0x100:0x200]`", text);
        let (name, rest) = text.split_once('[').ok_or_else(wrong)?;
        let (first, end) = rest.strip_suffix(']').and_then(|r| r.split_once(':')).ok_or_else(wrong)?;
        let byte = |text: &str| {
            let text = text.trim();
            let value = text.strip_prefix("0x").map_or_else(|| text.parse(), |hex| i64::from_str_radix(hex, 16));
            value.ok().filter(|byte| *byte >= 0).ok_or_else(|| text!("`{text}` is not a number of bytes", text))
        };
        let bytes = byte(first)?..byte(end)?;
        if bytes.is_empty() {
            return Err(text!("the range is empty").to_string());
        }
        Ok((self.memory_named(name.trim())?, bytes))
    }

    fn memory_named(&self, name: &str) -> Result<MemoryId, String> {
        let is_loc = |loc: &Loc| loc.memory().eq_ignore_ascii_case(name) || loc.name() == name;
        if let Some(loc) = Loc::ALL.into_iter().find(is_loc) {
            return Ok(MemoryId::Core(self.core, loc));
        }
        let params = self.recording.plan().params();
        let (param, rank) = name.split_once('@').map_or((name, Some(0)), |(name, rank)| (name, rank.parse().ok()));
        match (params.iter().position(|p| p.name == param), rank) {
            (Some(at), Some(rank)) => Ok(MemoryId::Global(rank * params.len() + at)),
            _ => {
                let locs = Loc::ALL.into_iter().filter(|l| self.capacity(*l) > 0).map(|l| l.memory().to_string());
                let names: Vec<String> = locs.chain(params.iter().map(|p| p.name.clone())).collect();
                Err(text!("there is no memory `{name}`; there are {names}", name, names = names.join(", ")))
            }
        }
    }

    fn delete(&mut self, rest: &str) -> Result<String, String> {
        if rest.is_empty() {
            self.stops.clear();
            return Ok(self.info_stops());
        }
        let wanted = number(rest)?;
        let before = self.stops.len();
        self.stops.retain(|s| s.number != wanted);
        if self.stops.len() == before {
            return Err(text!("there is no breakpoint {number}", number = wanted));
        }
        Ok(self.info_stops())
    }

    fn list(&self, rest: &str) -> Result<String, String> {
        let current = self.pending().map_or(0, |m| m.line);
        let middle = if rest.is_empty() { current } else { number(rest)? };
        let first = middle.saturating_sub(5).max(1) as usize;
        let last = (first + 10).min(self.lines.len());
        if first > self.lines.len() {
            return Err(text!("there are {count} lines", count = self.lines.len()));
        }
        let width = last.to_string().len();
        let line = |n: usize| {
            let arrow = if n as u32 == current { '>' } else { ' ' };
            let stop = if self.has_breakpoint(n as u32) { '*' } else { ' ' };
            format!("{arrow}{stop}{n:>width$}  {}", self.lines[n - 1]).trim_end().to_string()
        };
        Ok((first..=last).map(line).collect::<Vec<_>>().join("\n"))
    }

    fn info(&mut self, topic: &str) -> Result<String, String> {
        let known = TOPICS.into_iter().find(|t| !topic.is_empty() && t.starts_with(topic));
        Ok(match known {
            Some("cores") => self.info_cores(),
            Some("pipes") => self.info_pipes(),
            Some("flags") => self.info_flags(),
            Some("memory") => self.info_memory(),
            Some("values") => self.info_values(),
            Some("breakpoints") => self.info_stops(),
            Some(_) => self.info_run(),
            None => return Err(text!("`info` shows {topics}", topics = TOPICS.join(", "))),
        })
    }
}

fn command(word: &str) -> Result<&'static CommandRow, String> {
    if let Some(found) = COMMANDS.iter().find(|c| c.names.contains(&word)) {
        return Ok(found);
    }
    // The start of one name is enough.
    let mut starts = COMMANDS.iter().filter(|c| word.len() > 1 && c.names[0].starts_with(word));
    if let (Some(found), None) = (starts.next(), starts.next()) {
        return Ok(found);
    }
    let near = COMMANDS.iter().map(|c| (distance(word, c.names[0]), c.names[0])).min();
    Err(match near.filter(|(far, _)| *far <= 2) {
        Some((_, near)) => text!("there is no command `{word}`; did you mean `{near}`?", word, near),
        None => text!("there is no command `{word}`; `help` lists them", word),
    })
}

/// `line 34` is line 34, too.
fn without_line_word(text: &str) -> &str {
    text.strip_prefix("line ").unwrap_or(text).trim()
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| text!("`{text}` is not a number", text))
}

fn count(text: &str) -> Result<usize, String> {
    match text {
        "" => Ok(1),
        _ => {
            text.parse().ok().filter(|n| *n > 0).ok_or_else(|| text!("`{text}` is not a number of instructions", text))
        }
    }
}

fn usage(command: &CommandRow) -> String {
    format!("{}: {} {}", text!("usage"), command.names[0], command.arguments)
}

/// The commands, or one of them.
fn help(word: &str) -> Result<String, String> {
    if !word.is_empty() {
        let found = command(word)?;
        let short = found.names[1..].join(", ");
        let short = if short.is_empty() { String::new() } else { format!("  ({short})") };
        let usage = format!("{} {}", found.names[0], found.arguments);
        return Ok(format!("{}{short}\n  {}", usage.trim_end(), translate(found.help)));
    }
    let mut lines: Vec<String> = COMMANDS.iter().map(listed).collect();
    lines.push(text!("conditions: %t.max() > 1e4, %t[0, 3] == 0, %i >= 8 and any nan").to_string());
    Ok(lines.join("\n"))
}

/// A command in the list of all: what it does stands below long ones.
fn listed(command: &CommandRow) -> String {
    const WIDTH: usize = 26;
    let left = format!("{} {}", command.names[0], command.arguments);
    let (left, help) = (left.trim_end(), translate(command.help));
    if left.len() < WIDTH { format!("{left:<WIDTH$}{help}") } else { format!("{left}\n{:<WIDTH$}{help}", "") }
}

/// The names of all commands that start with a text.
pub(crate) fn completions(start: &str) -> Vec<&'static str> {
    COMMANDS.iter().map(|c| c.names[0]).filter(|name| name.starts_with(start)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto::isa::sort::SharedSort;

    #[test]
    fn names_are_unique_and_misspelled_ones_are_suggested() {
        let mut names: Vec<&str> = COMMANDS.iter().flat_map(|c| c.names.iter().copied()).collect();
        let all = names.len();
        names.shared_sort();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(command("cont").map(|c| c.verb), Ok(Verb::Continue));
        assert_eq!(command("stpe").err().as_deref(), Some("there is no command `stpe`; did you mean `step`?"));
        assert_eq!(command("xyzzy").err().as_deref(), Some("there is no command `xyzzy`; `help` lists them"));
    }

    #[test]
    fn help_has_every_command() {
        let text = help("").expect("help");
        assert!(COMMANDS.iter().all(|c| text.contains(c.names[0])), "{text}");
        assert!(help("s").expect("help").starts_with("step [N]  (s, stepi, si)\n"));
    }
}
