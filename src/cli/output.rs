//! Standard output: buffered, coloured where that is wanted, and quiet about readers that go away.

use std::io::{self, BufWriter, Write};

use anstream::AutoStream;

use super::failure::Failure;

/// Standard output.
pub(super) struct Output {
    out: BufWriter<Pipe>,
}

struct Pipe {
    out: AutoStream<io::StdoutLock<'static>>,
    ends_process: bool,
}

impl Output {
    pub(super) fn new() -> Output {
        let out = AutoStream::auto(io::stdout().lock());
        Output { out: BufWriter::new(Pipe { out, ends_process: false }) }
    }

    /// From now on a reader that goes away ends the process, with status 0. For a verb that writes while it works, tells
    /// whoever works through something that cannot fail, and leaves nothing behind.
    pub(super) fn end_process_when_closed(&mut self) {
        self.out.get_mut().ends_process = true;
    }

    /// Writes out what is buffered.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Pipe {
    fn check<T>(&self, written: io::Result<T>) -> io::Result<T> {
        if self.ends_process && written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            std::process::exit(0);
        }
        written
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.check(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.check(flushed)
    }
}
