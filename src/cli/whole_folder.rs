//! Folders that are written aside and take their name when they are whole.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::failure::Failure;

/// A folder that is written.
pub(super) struct WholeFolder {
    aside: TempDir,
    whole: PathBuf,
}

/// The file by which a folder of results is known: no other folder is replaced.
const KNOWN_BY: &str = "results.json";

impl WholeFolder {
    /// Begins a folder that takes this name once it is whole. A folder of results that bears the name already is replaced then.
    pub(super) fn create(path: &Path) -> Result<WholeFolder, Failure> {
        may_be_replaced(path)?;
        let wrong = |error| Failure::File { path: path.to_owned(), error };
        // A rename is at once only within a folder's file system.
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(wrong)?;
        let aside =
            tempfile::Builder::new().prefix(".rehearsal-").suffix(".partial").tempdir_in(parent).map_err(wrong)?;
        // A result is no secret: it gets the rights that any new folder does.
        let within = aside.path().join("results");
        fs::create_dir(within).map_err(wrong)?;
        Ok(WholeFolder { aside, whole: path.to_owned() })
    }

    /// Writes a file in it, whose path begins there.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let write = || {
            let path = self.within().join(name);
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            let mut file = File::create(path)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(|error| self.wrong(error))
    }

    /// The folder is whole: it takes its name.
    pub(super) fn keep(self) -> Result<(), Failure> {
        may_be_replaced(&self.whole)?;
        let old = self.aside.path().join("old");
        let replace = || -> io::Result<()> {
            match fs::rename(&self.whole, &old) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            fs::rename(self.within(), &self.whole).inspect_err(|_| {
                // As it was before.
                let _ = fs::rename(&old, &self.whole);
            })
        };
        replace().map_err(|error| self.wrong(error))
    }

    fn within(&self) -> PathBuf {
        self.aside.path().join("results")
    }

    fn wrong(&self, error: io::Error) -> Failure {
        Failure::File { path: self.whole.clone(), error }
    }
}

/// Whatever is no folder of results stays.
fn may_be_replaced(path: &Path) -> Result<(), Failure> {
    let stays = |message: &str| {
        let help = "name a folder that is not there yet, or one that holds results";
        Err(Failure::Path { path: path.to_owned(), message: message.to_owned(), help: help.to_owned() })
    };
    match fs::read_dir(path).map(Iterator::count) {
        Ok(entries) if entries == 0 || path.join(KNOWN_BY).is_file() => Ok(()),
        Ok(_) => stays("there is a folder of this name that holds no results"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => stays("there is a file of this name"),
        Err(error) => Err(Failure::File { path: path.to_owned(), error }),
    }
}
