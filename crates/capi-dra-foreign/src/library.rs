//! The C calls of the other library, with the one check without which it ends the program.

use libc::{c_char, c_int, c_void};
use section::{DIMS_MAX, Shape};
use std::ffi::CStr;

unsafe extern "C" {
    fn GA_Initialized() -> c_int;
    fn GA_Valid_handle(g_a: c_int) -> c_int;
    fn GA_Inquire_name(g_a: c_int) -> *const c_char;
    fn GA_Get_pgroup(g_a: c_int) -> c_int;
    fn GA_Pgroup_get_world() -> c_int;
    fn GA_Pgroup_sync(group: c_int);
    fn NGA_Create_config64(
        kind: c_int,
        ndim: c_int,
        dims: *mut i64,
        name: *mut c_char,
        chunk: *mut i64,
        group: c_int,
    ) -> c_int;
    fn GA_Destroy(g_a: c_int);
    fn NGA_Inquire64(g_a: c_int, kind: *mut c_int, ndim: *mut c_int, dims: *mut i64);
    fn NGA_Get64(g_a: c_int, lo: *mut i64, hi: *mut i64, buf: *mut c_void, ld: *mut i64);
    fn NGA_Put64(g_a: c_int, lo: *mut i64, hi: *mut i64, buf: *mut c_void, ld: *mut i64);
}

/// What is wrong with a handle, or with what stands behind it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("Global Arrays are not initialised: GA_Initialize comes first")]
    NotInitialised,
    #[error("no global array has this handle")]
    DeadHandle,
    #[error("it is held by a group of processes, not by all")]
    NotOfAll,
    #[error("it has {0} dimensions: expected 1 to 7")]
    Dims(c_int),
    #[error("type {0} is not supported: expected int, long, float, double or complex")]
    Type(c_int),
    #[error("no array of {extents:?} elements could be made: is there memory for it?")]
    NotMade {
        /// What was asked for.
        extents: Vec<u64>,
    },
    #[error("it was destroyed, or changed, before the transfer had finished")]
    Changed,
}

/// A handle that an array has had; each call asks whether one still has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle(c_int);

/// What the library says about an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) type_code: c_int,
    pub(crate) dims: Shape,
}

/// First and last indices, inclusive, and leading dimensions, as the library takes them.
pub(crate) struct Place {
    pub(crate) lo: [i64; DIMS_MAX],
    pub(crate) hi: [i64; DIMS_MAX],
    pub(crate) leading: [i64; DIMS_MAX],
}

impl Handle {
    /// The handle of an array that exists.
    pub(crate) fn new(handle: i64) -> Result<Self, Error> {
        let handle = Self(c_int::try_from(handle).map_err(|_| Error::DeadHandle)?);
        handle.check().map(|()| handle)
    }

    /// A new array of all processes, spread as the library likes. Collective.
    pub(crate) fn create(type_code: c_int, dims: &Shape) -> Result<Self, Error> {
        let not_made = || Error::NotMade { extents: dims.to_vec() };
        let mut extents = [0i64; DIMS_MAX];
        for (extent, &wanted) in extents.iter_mut().zip(dims.iter()) {
            *extent = i64::try_from(wanted).map_err(|_| not_made())?;
        }
        let ndim = c_int::try_from(dims.len()).map_err(|_| not_made())?;
        let mut name = *b"chemio\0";
        // SAFETY: the first question may be asked at any time. The library reads as many extents as there are dimensions, and the
        // name, which it copies; without chunks it spreads an array as it likes.
        let handle = unsafe {
            if GA_Initialized() == 0 {
                return Err(Error::NotInitialised);
            }
            // Whatever group the program has made the default.
            NGA_Create_config64(
                type_code,
                ndim,
                extents.as_mut_ptr(),
                name.as_mut_ptr().cast(),
                std::ptr::null_mut(),
                GA_Pgroup_get_world(),
            )
        };
        if handle == 0 { Err(not_made()) } else { Ok(Self(handle)) }
    }

    /// The array is not needed any more. Collective.
    pub(crate) fn destroy(self) -> Result<(), Error> {
        self.check()?;
        // SAFETY: an array has the handle.
        unsafe { GA_Destroy(self.0) };
        Ok(())
    }

    pub(crate) fn number(self) -> i64 {
        self.0.into()
    }

    /// That an array has it now.
    fn check(self) -> Result<(), Error> {
        // SAFETY: the first question may be asked at any time, the second one of any number once the library is initialised.
        unsafe {
            match (GA_Initialized() != 0, self.0) {
                (false, _) => Err(Error::NotInitialised),
                (true, handle) if GA_Valid_handle(handle) != 0 => Ok(()),
                _ => Err(Error::DeadHandle),
            }
        }
    }

    /// That all processes hold the array.
    pub(crate) fn check_group(self) -> Result<(), Error> {
        self.check()?;
        // SAFETY: an array has the handle.
        let is_world = unsafe { GA_Get_pgroup(self.0) == GA_Pgroup_get_world() };
        if is_world { Ok(()) } else { Err(Error::NotOfAll) }
    }

    pub(crate) fn facts(self) -> Result<Facts, Error> {
        self.check()?;
        let (mut type_code, mut ndim, mut dims) = (0, 0, [0i64; DIMS_MAX]);
        // SAFETY: an array has the handle, and it has no more dimensions than there is room for.
        unsafe { NGA_Inquire64(self.0, &raw mut type_code, &raw mut ndim, dims.as_mut_ptr()) };
        let count = usize::try_from(ndim).ok().filter(|count| (1..=DIMS_MAX).contains(count));
        let count = count.ok_or(Error::Dims(ndim))?;
        Ok(Facts { type_code, dims: Shape::from_fn(count, |d| u64::try_from(dims[d]).unwrap_or(0)) })
    }

    pub(crate) fn name(self) -> Result<String, Error> {
        self.check()?;
        // SAFETY: an array has the handle; its name is a string that lives as long as the array, and is copied.
        unsafe {
            let name = GA_Inquire_name(self.0);
            Ok(if name.is_null() {
                String::new()
            } else {
                CStr::from_ptr(name).to_string_lossy().trim_end().to_owned()
            })
        }
    }

    /// # Safety
    /// The place is in the array, and `to` has room for the elements where it says.
    pub(crate) unsafe fn get(self, mut place: Place, to: *mut u8) -> Result<(), Error> {
        self.check()?;
        let Place { lo, hi, leading } = &mut place;
        // SAFETY: an array has the handle; the rest is promised by the caller.
        unsafe { NGA_Get64(self.0, lo.as_mut_ptr(), hi.as_mut_ptr(), to.cast(), leading.as_mut_ptr()) };
        Ok(())
    }

    /// # Safety
    /// The place is in the array, and `from` has the elements where it says.
    pub(crate) unsafe fn put(self, mut place: Place, from: *const u8) -> Result<(), Error> {
        self.check()?;
        let Place { lo, hi, leading } = &mut place;
        // SAFETY: an array has the handle; the rest is promised by the caller. The library only reads.
        unsafe {
            let from = from.cast_mut().cast();
            NGA_Put64(self.0, lo.as_mut_ptr(), hi.as_mut_ptr(), from, leading.as_mut_ptr());
        };
        Ok(())
    }
}

/// That the library may be called.
pub(crate) fn check_initialised() -> Result<(), Error> {
    // SAFETY: the question may be asked at any time.
    if unsafe { GA_Initialized() } == 0 { Err(Error::NotInitialised) } else { Ok(()) }
}

/// Completes what all processes have written, and waits for them. Collective.
pub(crate) fn sync() -> Result<(), Error> {
    check_initialised()?;
    // SAFETY: the library is initialised.
    unsafe { GA_Pgroup_sync(GA_Pgroup_get_world()) };
    Ok(())
}
