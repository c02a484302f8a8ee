//! The command line at the bottom, with history and completion.

use crate::debug::command::completions;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Default)]
pub(super) struct Prompt {
    /// `None` while keys are commands of their own.
    text: Option<String>,
    /// The cursor, in characters.
    cursor: usize,
    history: Vec<String>,
    /// The entry of the history that is shown.
    shown: usize,
}

/// What a key did to the command line.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum PromptKey {
    Edited,
    Entered(String),
}

impl Prompt {
    pub(super) fn open(&mut self, text: &str) {
        self.text = Some(text.to_string());
        self.cursor = text.chars().count();
        self.shown = self.history.len();
    }

    pub(super) fn is_open(&self) -> bool {
        self.text.is_some()
    }

    /// The text and the cursor in it, if it is open.
    pub(super) fn text(&self) -> Option<(&str, usize)> {
        self.text.as_deref().map(|text| (text, self.cursor))
    }

    fn byte(&self, cursor: usize) -> usize {
        let text = self.text.as_deref().unwrap_or_default();
        text.char_indices().nth(cursor).map_or(text.len(), |(at, _)| at)
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> PromptKey {
        let Some(length) = self.text.as_deref().map(|t| t.chars().count()) else { return PromptKey::Edited };
        match (key.code, key.modifiers.contains(KeyModifiers::CONTROL)) {
            (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => self.text = None,
            (KeyCode::Enter, _) => {
                let text = self.text.take().unwrap_or_default();
                let text = text.trim().to_string();
                if !text.is_empty() && self.history.last() != Some(&text) {
                    self.history.push(text.clone());
                }
                return PromptKey::Entered(text);
            }
            (KeyCode::Backspace, _) if length == 0 => self.text = None,
            (KeyCode::Backspace, _) if self.cursor > 0 => {
                self.cursor -= 1;
                self.remove(self.cursor);
            }
            (KeyCode::Delete, _) if self.cursor < length => self.remove(self.cursor),
            (KeyCode::Left, _) => self.cursor = self.cursor.saturating_sub(1),
            (KeyCode::Right, _) => self.cursor = (self.cursor + 1).min(length),
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => self.cursor = 0,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => self.cursor = length,
            (KeyCode::Char('u'), true) => self.replace(""),
            (KeyCode::Up, _) => self.recall_entry(self.shown.saturating_sub(1)),
            (KeyCode::Down, _) => self.recall_entry((self.shown + 1).min(self.history.len())),
            (KeyCode::Tab, _) => self.complete(),
            (KeyCode::Char(c), false) => {
                let at = self.byte(self.cursor);
                if let Some(text) = &mut self.text {
                    text.insert(at, c);
                    self.cursor += 1;
                }
            }
            _ => {}
        }
        PromptKey::Edited
    }

    fn remove(&mut self, cursor: usize) {
        let at = self.byte(cursor);
        if let Some(text) = self.text.as_mut().filter(|t| at < t.len()) {
            text.remove(at);
        }
    }

    fn replace(&mut self, text: &str) {
        self.text = Some(text.to_string());
        self.cursor = text.chars().count();
    }

    fn recall_entry(&mut self, entry: usize) {
        self.shown = entry;
        let text = self.history.get(entry).cloned().unwrap_or_default();
        self.replace(&text);
    }

    /// Completes the name of a command.
    fn complete(&mut self) {
        let start = self.text.clone().unwrap_or_default();
        if let [only] = completions(&start)[..] {
            self.replace(&format!("{only} "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(prompt: &mut Prompt, text: &str) {
        for c in text.chars() {
            prompt.key(KeyEvent::from(KeyCode::Char(c)));
        }
    }

    #[test]
    fn lines_are_edited_and_remembered() {
        let mut prompt = Prompt::default();
        prompt.open("");
        typed(&mut prompt, "stp 3");
        for code in [KeyCode::Left, KeyCode::Left, KeyCode::Left] {
            prompt.key(KeyEvent::from(code));
        }
        typed(&mut prompt, "e");
        assert_eq!(prompt.text(), Some(("step 3", 3)));
        assert_eq!(prompt.key(KeyEvent::from(KeyCode::Enter)), PromptKey::Entered("step 3".into()));
        assert!(!prompt.is_open());
        prompt.open("");
        prompt.key(KeyEvent::from(KeyCode::Up));
        assert_eq!(prompt.text(), Some(("step 3", 6)));
        prompt.key(KeyEvent::from(KeyCode::Down));
        assert_eq!(prompt.text(), Some(("", 0)));
        typed(&mut prompt, "wa");
        prompt.key(KeyEvent::from(KeyCode::Tab));
        assert_eq!(prompt.text(), Some(("watch ", 6)));
        prompt.key(KeyEvent::from(KeyCode::Esc));
        assert!(!prompt.is_open());
    }
}
