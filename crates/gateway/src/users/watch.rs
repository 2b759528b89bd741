//! Has a file of users changed? Looked at from time to time: a stat of each file, nothing is opened.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What tells one state of a file from another.
type Stamp = Option<(u64, u64, i64, i64, u64)>;

/// The files that users came from, as they were when they were last looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesWatch {
    files: Vec<(PathBuf, Stamp)>,
}

impl FilesWatch {
    /// Starts with the files as they are now. To miss no change, start before they are read.
    pub fn new(files: impl IntoIterator<Item = PathBuf>) -> FilesWatch {
        let files = files.into_iter().map(|path| {
            let stamp = stamp(&path);
            (path, stamp)
        });
        FilesWatch { files: files.collect() }
    }

    /// Whether one of the files is another one than before, or was written to. Each change is told once.
    pub fn changed(&mut self) -> bool {
        let mut changed = false;
        for (path, before) in &mut self.files {
            let now = stamp(path);
            changed |= now != *before;
            *before = now;
        }
        changed
    }

    /// Looks at these files from now on; what is known of one that was looked at already stays.
    pub fn watch(&mut self, files: &[PathBuf]) {
        let known = std::mem::take(&mut self.files);
        let old = |path: &Path| known.iter().find(|(known, _)| known == path).map(|(_, stamp)| *stamp);
        self.files =
            files.iter().map(|path| (path.clone(), old(path).unwrap_or_else(|| stamp(path)))).collect();
    }
}

fn stamp(path: &Path) -> Stamp {
    let file = fs::metadata(path).ok()?;
    Some((file.dev(), file.ino(), file.mtime(), file.mtime_nsec(), file.size()))
}

#[cfg(test)]
mod tests;
