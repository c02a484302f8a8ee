//! The translations, from the files in `zh/`.

use std::collections::HashMap;
use std::sync::OnceLock;

/// An English text and its translation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    /// The English text, which is the key.
    pub english: String,
    /// The translation, with the same placeholders.
    pub text: String,
    /// The file it is in.
    pub file: &'static str,
}

macro_rules! files {
    ($($name:literal),+ $(,)?) => { [$(($name, include_str!(concat!("zh/", $name)))),+] };
}

/// Entries are two lines, `en …` and `zh …`, in which `\n` is a new line and `\\` a backslash.
static CHINESE: &[(&str, &str)] = &files![
    "bytecode.txt",
    "check.txt",
    "cli.txt",
    "codes.txt",
    "cost.txt",
    "cpu.txt",
    "debug.txt",
    "diff.txt",
    "emit.txt",
    "help.txt",
    "ide.txt",
    "ir.txt",
    "isa.txt",
    "library.txt",
    "opt.txt",
    "race.txt",
    "ranks.txt",
    "reduce.txt",
    "trace.txt",
    "syntax.txt",
    "table_arith.txt",
    "table_comm.txt",
    "table_config.txt",
    "table_control.txt",
    "table_elementwise.txt",
    "table_expand.txt",
    "table_fifo.txt",
    "table_hazards.txt",
    "table_irregular.txt",
    "table_layout.txt",
    "table_matrix.txt",
    "table_memory.txt",
    "table_memref.txt",
    "table_partial.txt",
    "table_quant.txt",
    "table_reduce.txt",
    "table_sync.txt",
    "table_tile_scalar.txt",
    "table_values.txt",
    "table_view.txt",
    "view.txt",
];

/// The translation of an English text.
pub(super) fn chinese(english: &str) -> Option<&'static str> {
    static BY_KEY: OnceLock<HashMap<String, String>> = OnceLock::new();
    let by_key = BY_KEY.get_or_init(|| translations().map(|t| (t.english, t.text)).collect());
    by_key.get(english).map(String::as_str)
}

/// Every entry of the Chinese catalogue, in the order of its files.
pub fn translations() -> impl Iterator<Item = Translation> {
    CHINESE.iter().flat_map(|&(file, text)| {
        let mut english = None;
        text.lines().filter_map(move |line| match line.split_once(' ') {
            Some(("en", key)) => {
                english = Some(unescape(key));
                None
            }
            Some(("zh", text)) => english.take().map(|english| Translation { english, text: unescape(text), file }),
            _ => None,
        })
    })
}

fn unescape(text: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(text.len()), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(match chars.next() {
                Some('n') => '\n',
                other => other.unwrap_or('\\'),
            }),
            c => out.push(c),
        }
    }
    out
}
