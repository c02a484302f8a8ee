//! Files and their addresses in the protocol.

use super::protocol::DocumentUri;
use std::path::{Path, PathBuf};

/// The path of a `file:` address.
pub(super) fn path_of(uri: &DocumentUri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let bytes = percent_decoded(path)?;
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/x` on Windows.
    let text = match text.as_bytes() {
        [b'/', drive, b':', ..] if cfg!(windows) && drive.is_ascii_alphabetic() => &text[1..],
        _ => &text,
    };
    Some(PathBuf::from(text))
}

fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let digit = |b: Option<u8>| (b? as char).to_digit(16);
        out.push((digit(bytes.next())? * 16 + digit(bytes.next())?) as u8);
    }
    Some(out)
}

/// The last part of an address.
pub(super) fn file_name(uri: &str) -> String {
    uri.rsplit('/').next().unwrap_or(uri).to_string()
}

/// The `file:` address of an absolute path.
pub(super) fn uri_of(path: &Path) -> Option<DocumentUri> {
    use std::fmt::Write;
    let path = path.to_str()?.replace('\\', "/");
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for b in path.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b':' => text.push(b as char),
            // Writing to a text cannot fail.
            _ => drop(write!(text, "%{b:02X}")),
        }
    }
    Some(DocumentUri::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_there_and_back() {
        for path in ["/a/b.pto", "/with space/é%.pto", "/100%/#?.pto"] {
            let uri = uri_of(Path::new(path)).expect("an address");
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)));
        }
        for bad in ["", "untitled:1", "file://host", "file:///%zz", "file:///%", "file:///%ff"] {
            assert_eq!(path_of(&DocumentUri::new(bad)), None, "{bad}");
        }
    }
}
