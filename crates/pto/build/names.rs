//! Names in Rust.

use pto_isa::{DType, Loc};

/// `atomic_add` and `ATOMIC_ADD` are `AtomicAdd`; words of mixed case stay.
pub fn pascal(name: &str) -> String {
    name.split('_').map(word).collect()
}

fn word(word: &str) -> String {
    let mixed = word.chars().any(|c| c.is_ascii_lowercase()) && word.chars().any(|c| c.is_ascii_uppercase());
    let rest = word.get(1..).unwrap_or("");
    let rest = if mixed { rest.to_string() } else { rest.to_ascii_lowercase() };
    format!("{}{rest}", word.get(..1).unwrap_or("").to_ascii_uppercase())
}

/// The Rust type of an element.
pub fn element(dtype: DType) -> String {
    let name = format!("{dtype:?}");
    match name.as_bytes() {
        [b'I' | b'U', rest @ ..] if dtype != DType::I4 && rest.iter().all(u8::is_ascii_digit) => name.to_lowercase(),
        _ if dtype == DType::F32 => "f32".to_string(),
        _ => name,
    }
}

/// The Rust type of a memory. One of them would hide the vectors of the standard library under its own name.
pub fn memory(loc: Loc) -> String {
    match loc {
        Loc::Vec => "Vector".to_string(),
        loc => format!("{loc:?}"),
    }
}
