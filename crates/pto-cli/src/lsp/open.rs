//! Files that are open in the editor.

use super::protocol::{ContentChange, DocumentUri};
use pto::isa::Span;
use pto::isa::cancel::cancellable;
use pto::{Diagnostic, Target};
use pto_ide::{Document, PositionEncoding, Replacement, applied};
use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Tiles are placed when nothing was typed for this long.
const QUIET: Duration = Duration::from_millis(300);

/// A file that is open. It is read when a question needs it, so that a burst of keystrokes is read once.
pub(super) struct OpenFile {
    pub(super) uri: DocumentUri,
    pub(super) version: i32,
    /// Its text or target changed since its problems were published.
    pub(super) changed: bool,
    /// What running it has shown, for this text.
    pub(super) findings: Vec<RunFinding>,
    text: String,
    target: Option<Target>,
    document: OnceCell<Arc<Document>>,
    /// Set when the thread that places the tiles should stop.
    stale: Option<Arc<AtomicBool>>,
}

/// What a command that runs the program has found.
#[derive(Clone, Debug)]
pub(super) enum RunFinding {
    /// Of `pto race`.
    Race(Diagnostic),
    /// Of `pto perf`: where the time goes.
    Perf {
        span: Span,
        message: String,
        /// It is the bottleneck, and not one of the other lines on the critical path.
        bottleneck: bool,
    },
}

impl OpenFile {
    pub(super) fn new(uri: DocumentUri, version: i32, text: String, target: Option<Target>) -> Self {
        let (changed, findings, document) = (true, Vec::new(), OnceCell::new());
        Self { uri, version, changed, findings, text, target, document, stale: None }
    }

    /// What was read from the text.
    pub(super) fn document(&self) -> &Document {
        self.document.get_or_init(|| Arc::new(Document::new(&self.text, self.target)))
    }

    /// Places the tiles of a large program on another thread; `done` is called there if that was not in vain.
    pub(super) fn plan_ahead(&mut self, done: impl FnOnce() + Send + 'static) {
        self.document();
        let Some(document) = self.document.get().filter(|d| !d.is_planned_at_once()).cloned() else { return };
        let stale = Arc::new(AtomicBool::new(false));
        self.stale = Some(stale.clone());
        std::thread::spawn(move || {
            std::thread::sleep(QUIET);
            if stale.load(Ordering::Relaxed) {
                return;
            }
            let question = stale.clone();
            let planned = cancellable(move || question.load(Ordering::Relaxed), || document.plan_ahead());
            if planned.is_ok() && !stale.load(Ordering::Relaxed) {
                done();
            }
        });
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Applies the changes of an editor, one after the other.
    pub(super) fn change(&mut self, changes: Vec<ContentChange>, encoding: PositionEncoding) {
        for change in changes {
            self.text = match change.range {
                None => change.text,
                Some(range) => {
                    let place = super::convert::Places { text: &self.text, encoding, positions: None };
                    applied(&self.text, &[Replacement::new(place.span(range), change.text)])
                }
            };
        }
        self.forget();
    }

    pub(super) fn set_target(&mut self, target: Option<Target>) {
        if self.target != target {
            self.target = target;
            self.forget();
        }
    }

    fn forget(&mut self) {
        if let Some(stale) = self.stale.take() {
            stale.store(true, Ordering::Relaxed);
        }
        self.document = OnceCell::new();
        self.findings.clear();
        self.changed = true;
    }

    /// The file, if it is on this machine.
    pub(super) fn path(&self) -> Option<PathBuf> {
        super::files::path_of(&self.uri)
    }
}
