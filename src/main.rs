//! Arguments in, exit status out.

use std::process::ExitCode;

fn main() -> ExitCode {
    rehearsal::cli::main()
}
