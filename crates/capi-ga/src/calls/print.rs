//! Prints. The first process of an array's group prints; the others wait for it.

use crate::arrays::Made;
use crate::boundary::or_abort;
use crate::caller::{Caller, Indices};
use crate::calls::describe;
use crate::{Result, fetch, session};
use chemio_capi::{Integer, stdout};
use ga::{Subscripts, TextStyle};
use libc::FILE;
use section::Section;
use std::ffi::CString;

/// Prints on standard output, or to another stream of C.
fn print_to(file: *mut FILE, text: &str) {
    if file.is_null() {
        return stdout::print(text);
    }
    let Ok(text) = CString::new(text) else { return };
    // SAFETY: the caller's stream is open, and the text ends with a NUL.
    unsafe {
        libc::fputs(text.as_ptr(), file);
        libc::fflush(file);
    }
}

/// Prints a section, or all of an array. Nobody goes on before it is printed. Collective over the array's group.
fn print(array: &Made, section: Option<&Section>, style: TextStyle, file: *mut FILE) -> Result<()> {
    if let Some(text) = array.array.text(section, style, array.handle)? {
        print_to(file, &text);
    }
    Ok(array.group().barrier()?)
}

/// All of an array; `file` is null for standard output.
pub(crate) fn array(caller: Caller, handle: i64, file: *mut FILE) {
    or_abort(caller, || print(&*session::current()?.array(handle)?, None, TextStyle::Table, file));
}

/// A section as tables, or one element a line.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn patch<N: Integer>(
    caller: Caller,
    handle: i64,
    lo: *const N,
    hi: *const N,
    pretty: bool,
) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        let (lo, hi) =
            unsafe { (fetch::indices(lo, array.dims(), "lo")?, fetch::indices(hi, array.dims(), "hi")?) };
        let section = caller.section(&array, lo, hi)?;
        let style = if pretty { TextStyle::Table } else { TextStyle::Elements };
        print(&array, Some(&section), style, std::ptr::null_mut())
    });
}

/// A section of a matrix as tables, or as plain rows.
pub(crate) fn patch_of_matrix(caller: Caller, handle: i64, lo: [i64; 2], hi: [i64; 2], pretty: bool) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        describe::expect_matrix(handle)?;
        let (lo, hi) = (Indices::pair(lo[0], lo[1]), Indices::pair(hi[0], hi[1]));
        let section = caller.section(&array, lo, hi)?;
        let style = if pretty { TextStyle::Table } else { TextStyle::Rows };
        print(&array, Some(&section), style, std::ptr::null_mut())
    });
}

/// Who holds what. Collective over the array's group.
pub(crate) fn distribution(caller: Caller, handle: i64) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        let group = array.group();
        array.array.context().sync_group(group)?;
        if group.rank() == 0 {
            let subscripts = if caller.is_fortran() { Subscripts::Fortran } else { Subscripts::C };
            stdout::print(&array.array.distribution_text(handle, subscripts));
        }
        Ok(group.barrier()?)
    });
}

/// The arrays of this process; local.
pub(crate) fn summary(caller: Caller, verbose: bool) {
    or_abort(caller, || {
        let arrays = session::current()?.all_arrays();
        let lines = arrays.iter().enumerate();
        let lines = lines.map(|(number, array)| array.array.summary_text(number, array.handle, verbose));
        let heading = format!(" Summary of allocated global arrays\n{}\n", "-".repeat(35));
        stdout::print(&[heading, lines.collect(), "\n\n".to_owned()].concat());
        Ok(())
    });
}

/// What this process has done; local.
pub(crate) fn statistics(caller: Caller) {
    or_abort(caller, || {
        let session = session::current()?;
        stdout::print(&session.statistics().report(session.context().rank()));
        Ok(())
    });
}
