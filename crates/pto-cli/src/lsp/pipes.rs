//! Messages on standard input and output.
//!
//! Messages are read as they come and wait in a queue, so that the server sees what was cancelled or changed behind a request. What
//! is no message is skipped.

use super::jobs::JobEnd;
use super::protocol::{EditorMessage, ServerMessage};
use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// The longest header line, and the longest message.
const LONGEST_LINE: u64 = 1 << 16;
const LONGEST: u64 = 1 << 28;

/// What the server waits for.
pub(super) enum ServerEvent {
    Message(EditorMessage),
    JobEnded(JobEnd),
    /// Tiles of a large program were placed.
    Planned,
    /// The editor is gone.
    InputEnded,
}

/// Where messages go, and where everything comes from.
pub(super) struct EditorConnection {
    pub(super) sender: Sender<ServerMessage>,
    pub(super) events: Receiver<ServerEvent>,
    /// For threads of the server.
    pub(super) tell: Sender<ServerEvent>,
}

/// A connection to the editor, and the thread that writes; it ends when the connection is dropped.
pub(super) fn stdio() -> (EditorConnection, JoinHandle<()>) {
    let (sender, outgoing) = channel::<ServerMessage>();
    let (tell, events) = channel();
    let writer = std::thread::spawn(move || {
        let mut stdout = std::io::stdout().lock();
        for message in outgoing {
            if message.write(&mut stdout).is_err() {
                return;
            }
        }
    });
    let read = tell.clone();
    std::thread::spawn(move || {
        read_all(&mut std::io::stdin().lock(), &read);
        // Nobody may listen any more.
        let _ = read.send(ServerEvent::InputEnded);
    });
    (EditorConnection { sender, events, tell }, writer)
}

fn read_all(input: &mut impl BufRead, events: &Sender<ServerEvent>) {
    while let Some(body) = next_body(input) {
        let Some(message) = EditorMessage::read(&body) else { continue };
        let ends = message.notification() == Some("exit");
        if events.send(ServerEvent::Message(message)).is_err() || ends {
            return;
        }
    }
}

/// The bytes of the next message; empty for one that is too long, `None` at the end of the input.
fn next_body(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_ascii();
        match (line.is_empty(), length) {
            (true, Some(length)) => return body(input, length),
            (true, None) => {}
            (false, _) => length = content_length(line).or(length),
        }
    }
}

fn content_length(line: &[u8]) -> Option<u64> {
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
}

fn body(input: &mut impl BufRead, length: u64) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    if length > LONGEST {
        std::io::copy(&mut input.take(length), &mut std::io::sink()).ok()?;
        return Some(body);
    }
    let read = input.take(length).read_to_end(&mut body).ok()?;
    (read as u64 == length).then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        let bodies = std::iter::from_fn(|| next_body(&mut input));
        bodies.map(|b| String::from_utf8_lossy(&b).into_owned()).collect()
    }

    #[test]
    fn garbage_is_skipped() {
        assert_eq!(bodies("Content-Length: 2\r\n\r\nabcontent-length:1\n\nc"), ["ab", "c"]);
        assert_eq!(bodies("garbage\r\n\r\nContent-Type: x\r\nContent-Length: 1\r\n\r\nd"), ["d"]);
        assert_eq!(bodies("Content-Length: 99999999999999999999\r\n\r\nContent-Length: 1\r\n\r\ne"), ["e"]);
        assert!(bodies("Content-Length: 5\r\n\r\nabc").is_empty(), "the input ends in a message");
        assert_eq!(bodies("Content-Length: 9999999999\r\n\r\nabc"), [""]);
    }
}
