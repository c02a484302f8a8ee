//! The files of the workspace, for symbols that are not in an open file.

use super::files;
use super::protocol::DocumentUri;
use pto::isa::sort::SharedSort;
use pto_ide::{Document, OutlineItem};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most files of a workspace that are searched.
const MOST_FILES: usize = 2000;
/// The most entries of folders that are looked at: a workspace may be a whole disk.
const MOST_ENTRIES: usize = 50_000;
/// The largest file that is searched.
const LARGEST: u64 = 4 << 20;

/// The folders of the editor, and what was read from their files.
pub(super) struct Workspace {
    roots: Vec<PathBuf>,
    known: HashMap<PathBuf, (SystemTime, Document)>,
}

impl Workspace {
    /// The folders that the editor names when it starts.
    pub(super) fn new(params: &Value) -> Self {
        let folders = params.get("workspaceFolders").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut roots: Vec<PathBuf> = folders.iter().filter_map(folder).collect();
        if roots.is_empty() {
            roots.extend(params.get("rootUri").and_then(Value::as_str).and_then(path_of));
        }
        Self { roots, known: HashMap::new() }
    }

    /// Folders that come and go.
    pub(super) fn change(&mut self, params: &Value) {
        let list = |name: &str| {
            let list = params.pointer(&format!("/event/{name}")).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(folder).collect::<Vec<_>>()
        };
        let removed = list("removed");
        self.roots.retain(|root| !removed.contains(root));
        self.roots.extend(list("added"));
    }

    /// A file that a program names, below the folder of the program or of the workspace.
    pub(super) fn find(&self, name: &str, beside: Option<&Path>) -> Option<PathBuf> {
        let named = Path::new(name);
        if named.is_absolute() {
            return named.is_file().then(|| named.to_path_buf());
        }
        let beside = beside.and_then(Path::parent);
        let folders = beside.into_iter().chain(self.roots.iter().map(PathBuf::as_path));
        folders.map(|folder| folder.join(named)).find(|path| path.is_file())
    }

    /// Visits the outline of every program in the workspace; files that are open are left out.
    pub(super) fn outlines(
        &mut self,
        is_open: impl Fn(&Path) -> bool,
        mut visit: impl FnMut(&Path, &Document, Vec<OutlineItem>),
    ) {
        let mut walk = FileWalk { left: MOST_ENTRIES, found: Vec::new() };
        self.roots.iter().for_each(|root| walk.folder(root, 0));
        for path in walk.found.into_iter().filter(|path| !is_open(path)).take(MOST_FILES) {
            if let Some(document) = self.read(&path) {
                visit(&path, document, document.outline());
            }
        }
    }

    /// A file, read again if it has changed.
    fn read(&mut self, path: &Path) -> Option<&Document> {
        let about = std::fs::metadata(path).ok().filter(|m| m.is_file() && m.len() <= LARGEST)?;
        let time = about.modified().ok()?;
        if self.known.get(path).is_none_or(|(known, _)| *known != time) {
            let text = std::fs::read_to_string(path).ok()?;
            self.known.insert(path.to_path_buf(), (time, Document::new(&text, None)));
        }
        self.known.get(path).map(|(_, document)| document)
    }
}

/// Looks for programs in folders.
struct FileWalk {
    /// Entries that may still be looked at.
    left: usize,
    found: Vec<PathBuf>,
}

impl FileWalk {
    /// Hidden folders are left out, and links are not followed.
    fn folder(&mut self, folder: &Path, depth: u32) {
        let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().take(self.left).collect();
        self.left -= entries.len();
        entries.shared_sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let hidden = entry.file_name().to_str().is_none_or(|name| name.starts_with('.'));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !hidden && depth < 32 => self.folder(&path, depth + 1),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|e| e == "pto") => self.found.push(path),
                _ => {}
            }
        }
    }
}

fn folder(json: &Value) -> Option<PathBuf> {
    json.get("uri").and_then(Value::as_str).and_then(path_of)
}

fn path_of(uri: &str) -> Option<PathBuf> {
    files::path_of(&DocumentUri::new(uri))
}
