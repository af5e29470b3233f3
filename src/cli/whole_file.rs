//! Files that are written aside and take their name when they are whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that is written.
pub(super) enum WholeFile {
    /// Aside, so that a run that is stopped leaves nothing that looks whole.
    Aside(NamedTempFile, PathBuf),
    /// To a pipe or a terminal, of which there is no aside.
    There(File),
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            WholeFile::Aside(file, _) => file.write(bytes),
            WholeFile::There(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            WholeFile::Aside(file, _) => file.flush(),
            WholeFile::There(file) => file.flush(),
        }
    }
}

impl WholeFile {
    /// Begins a file that takes this name once it is whole.
    pub(super) fn create(path: &Path) -> io::Result<WholeFile> {
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            return File::options().write(true).open(path).map(WholeFile::There);
        }
        // What a link leads to is replaced, not the link.
        let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // A rename is at once only within a folder's file system.
        let folder = match whole.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rehearsal-").suffix(".partial");
        // A result is no secret: it gets the rights that any new file does.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        Ok(WholeFile::Aside(file, whole))
    }

    /// The file is whole: it takes its name.
    pub(super) fn keep(self) -> io::Result<()> {
        match self {
            WholeFile::Aside(file, whole) => {
                file.as_file().sync_all()?;
                file.persist(whole)?;
                Ok(())
            }
            WholeFile::There(_) => Ok(()),
        }
    }
}
