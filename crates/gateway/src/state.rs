//! The state folder: demo keys of the embedded default, and the replay window.
//!
//! Private to its owner. One process at a time keeps its replay window here; a second one is
//! told so and keeps its own in memory. Not here: which folder it is (the command line knows
//! the environment).

pub mod replay;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use bartizan_crypto::random::Random;
use bartizan_keys::Time;
use bartizan_keys::pki::{DemoFile, DemoOptions, DemoPki, Mode};

use crate::error::Problem;

/// An open state folder.
#[derive(Debug)]
pub struct StateFolder {
    path: PathBuf,
    /// Held for as long as the folder is ours.
    lock: Option<File>,
}

impl StateFolder {
    /// Opens the folder, making it (0700) if it is not there.
    ///
    /// # Errors
    /// [`Problem::Write`] if it cannot be made or written, or everybody may write there.
    pub fn open(path: &Path) -> Result<Self, Problem> {
        let failed = |source| Problem::Write { path: path.to_owned(), source };
        private_folder(path).map_err(failed)?;
        // Whoever can put a folder of keys here decides whom we trust.
        if fs::metadata(path).map_err(failed)?.permissions().mode() & 0o002 != 0 {
            let why = "everybody may write there, and it would hold keys";
            return Err(failed(io::Error::new(io::ErrorKind::PermissionDenied, why)));
        }
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(path.join("lock"))
            .map_err(failed)?;
        let lock = match lock.try_lock() {
            Ok(()) => Some(lock),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        };
        Ok(StateFolder { path: path.to_owned(), lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether we alone write here; if not, nothing is kept over a restart.
    pub fn is_ours(&self) -> bool {
        self.lock.is_some()
    }

    /// The folder of demo keys, made if it is not there; never overwritten.
    ///
    /// Returns it, and whether it was made now.
    ///
    /// # Errors
    /// [`Problem::Write`], [`Problem::Keys`].
    pub fn demo_keys(&self, now: Time, random: &dyn Random) -> Result<(PathBuf, bool), Problem> {
        let keys = self.path.join("keys");
        if keys.is_dir() {
            return Ok((keys, false));
        }
        let options = DemoOptions { rsa_bits: 2048, now, jks: false };
        let pki = DemoPki::generate(&options, random)
            .map_err(|source| Problem::Keys { path: keys.clone(), source })?;
        // Made beside it and moved: nobody ever sees half a folder, and of two first runs at
        // the same time one wins as a whole.
        let part = self.path.join(format!("keys.{}.part", std::process::id()));
        let failed = |source| Problem::Write { path: keys.clone(), source };
        let _ = fs::remove_dir_all(&part);
        write_new(&part, &pki.files).map_err(failed)?;
        match fs::rename(&part, &keys) {
            Ok(()) => Ok((keys, true)),
            Err(_) if keys.is_dir() => {
                let _ = fs::remove_dir_all(&part);
                Ok((keys, false))
            }
            Err(source) => Err(failed(source)),
        }
    }
}

/// Writes the files of a demo PKI into `folder`, which is made if it is not there. If any of
/// the files exists, nothing is written.
///
/// # Errors
/// `AlreadyExists` for the first file that is there; else what the operating system says.
pub fn write_new(folder: &Path, files: &[DemoFile]) -> io::Result<()> {
    let there = files.iter().map(|file| folder.join(&file.name)).find(|path| path.symlink_metadata().is_ok());
    if let Some(path) = there {
        let what = format!("{} is there already", path.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
    }
    private_folder(folder)?;
    for file in files {
        let mode = match file.mode {
            Mode::Public => 0o644,
            Mode::Private => 0o600,
        };
        let mut out =
            OpenOptions::new().write(true).create_new(true).mode(mode).open(folder.join(&file.name))?;
        file.contents.expose(|contents| out.write_all(contents))?;
    }
    Ok(())
}

/// Makes a folder that only its owner enters, and the ones above it.
fn private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests;
