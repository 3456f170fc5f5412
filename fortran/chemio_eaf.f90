!> EAF, exclusive access files: explicit interfaces. The calls are those of eaf.fh; use one or the other.
!>
!> Functions return 0 or a code below; eaf_errmsg tells what it means and what happened. Offsets, lengths and counts are
!> bytes. A buffer is any contiguous variable, array or array element. The buffer of an asynchronous call must stay
!> where it is until eaf_wait (give it the asynchronous or target attribute; never pass a strided section).
module chemio_eaf
  implicit none
  public

  !> Types for eaf_open: read and write (created if missing, kept if present), write (emptied if present), read (must
  !> be there). A positive type is a size in megabytes (2**20 bytes): the file is held in memory until eaf_delete.
  integer, parameter :: eaf_rw = -1, eaf_w = -2, eaf_r = -3

  !> Result codes.
  ! begin codes
  integer, parameter :: eaf_ok = 0 !< no error
  integer, parameter :: eaf_err_open = -44 !< the file could not be opened
  integer, parameter :: eaf_err_eof = -10001 !< end of file
  integer, parameter :: eaf_err_max_open = -10002 !< too many open files
  integer, parameter :: eaf_err_memory = -10003 !< out of memory
  integer, parameter :: eaf_err_opening = -10004 !< opening failed
  integer, parameter :: eaf_err_close = -10005 !< closing failed
  integer, parameter :: eaf_err_invalid_fd = -10006 !< this file descriptor is not open
  integer, parameter :: eaf_err_write = -10007 !< the write was not started
  integer, parameter :: eaf_err_awrite = -10008 !< the asynchronous write was not started
  integer, parameter :: eaf_err_read = -10009 !< the read was not started
  integer, parameter :: eaf_err_aread = -10010 !< the asynchronous read was not started
  integer, parameter :: eaf_err_wait = -10011 !< no such request to wait for
  integer, parameter :: eaf_err_probe = -10012 !< no such request to probe
  integer, parameter :: eaf_err_unlink = -10013 !< the file could not be deleted
  integer, parameter :: eaf_err_unimplemented = -10014 !< not implemented
  integer, parameter :: eaf_err_stat = -10015 !< the file system could not be asked
  integer, parameter :: eaf_err_too_short = -10016 !< a character argument is too short for the answer
  integer, parameter :: eaf_err_too_long = -10017 !< a character argument is too long
  integer, parameter :: eaf_err_noninteger_offset = -10018 !< an offset or length is not a whole number
  integer, parameter :: eaf_err_truncate = -10019 !< the length could not be set
  integer, parameter :: eaf_err_length = -10020 !< the length could not be had
  integer, parameter :: elio_err_seek = -2000 !< an offset or length is out of range
  integer, parameter :: elio_err_write = -1999 !< writing failed
  integer, parameter :: elio_err_awrite = -1998 !< writing asynchronously failed
  integer, parameter :: elio_err_read = -1997 !< reading failed
  integer, parameter :: elio_err_aread = -1996 !< reading asynchronously failed
  integer, parameter :: elio_err_suspend = -1995 !< waiting for the device failed
  integer, parameter :: elio_err_handle = -1994 !< invalid handle
  integer, parameter :: elio_err_mode = -1993 !< invalid mode
  integer, parameter :: elio_err_directory = -1992 !< no such directory
  integer, parameter :: elio_err_stat = -1991 !< no such directory, or its file system cannot be asked
  integer, parameter :: elio_err_open = -1990 !< opening on the device failed
  integer, parameter :: elio_err_alloc = -1989 !< out of memory in the device layer
  integer, parameter :: elio_err_unsupported = -1988 !< not supported on this machine
  integer, parameter :: elio_err_delete = -1987 !< deleting on the device failed
  integer, parameter :: elio_err_close = -1986 !< data written earlier did not arrive when the file was closed
  integer, parameter :: elio_err_interrupted = -1985 !< interrupted
  integer, parameter :: elio_err_return = -1984 !< unexpected answer of the device
  integer, parameter :: elio_err_name_too_long = -1983 !< the file name is too long
  integer, parameter :: elio_err_fs_type = -1982 !< unknown file system type
  integer, parameter :: elio_err_conversion = -1981 !< a number could not be converted
  integer, parameter :: elio_err_device_type = -1980 !< unknown device type
  integer, parameter :: elio_err_probe = -1979 !< probing the device failed
  integer, parameter :: elio_err_truncate = -1978 !< truncating on the device failed
  integer, parameter :: elio_err_eof = -1977 !< end of file: less was read than asked for
  integer, parameter :: elio_err_fsync = -1976 !< data did not reach the device
  integer, parameter :: elio_err_unknown = -1975 !< unknown error
  ! end codes

  interface
    !> Opens a file; fd is the lowest free handle. -44 if it fails.
    integer function eaf_open(fname, type, fd)
      character(len=*), intent(in) :: fname
      integer, intent(in) :: type
      integer, intent(inout) :: fd
    end function eaf_open

    !> Closes a file after everything outstanding on it has finished. -10006 if it is not open.
    integer function eaf_close(fd)
      integer, intent(in) :: fd
    end function eaf_close

    !> Deletes a file, on disk or in memory. A missing file is no error.
    integer function eaf_delete(fname)
      character(len=*), intent(in) :: fname
    end function eaf_delete

    !> Writes bytes bytes of buf at offset; past the end the file grows, a hole reads as zeros.
    integer function eaf_write(fd, offset, buf, bytes)
      integer, intent(in) :: fd, bytes
      double precision, intent(in) :: offset
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in) :: buf
    end function eaf_write

    !> Reads bytes bytes at offset into buf. -1977 past the end, with what there is already in buf.
    integer function eaf_read(fd, offset, buf, bytes)
      integer, intent(in) :: fd, bytes
      double precision, intent(in) :: offset
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*) :: buf
    end function eaf_read

    !> Starts a write. Fewer than 65536 bytes are taken at once; more must not change until eaf_wait.
    integer function eaf_awrite(fd, offset, buf, bytes, req)
      integer, intent(in) :: fd, bytes
      double precision, intent(in) :: offset
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), intent(in), asynchronous :: buf
      integer, intent(inout) :: req
    end function eaf_awrite

    !> Starts a read. buf must not be used until eaf_wait, which reports the end of the file and errors.
    integer function eaf_aread(fd, offset, buf, bytes, req)
      integer, intent(in) :: fd, bytes
      double precision, intent(in) :: offset
      !GCC$ attributes no_arg_check :: buf
      type(*), dimension(*), asynchronous :: buf
      integer, intent(inout) :: req
    end function eaf_aread

    !> Waits for a request; may be repeated with the same result.
    integer function eaf_wait(fd, req)
      integer, intent(in) :: fd, req
    end function eaf_wait

    !> status becomes 0 if the request has finished, 1 if it has not.
    integer function eaf_probe(req, status)
      integer, intent(in) :: req
      integer, intent(inout) :: status
    end function eaf_probe

    !> The length of the file.
    integer function eaf_length(fd, length)
      integer, intent(in) :: fd
      double precision, intent(inout) :: length
    end function eaf_length

    !> Sets the length of the file; growing adds zeros.
    integer function eaf_truncate(fd, length)
      integer, intent(in) :: fd
      double precision, intent(in) :: length
    end function eaf_truncate

    !> Available megabytes and the type ("UFS", or "PFS" if parallel) of the file system that holds path. The last
    !> component of path is stripped and need not exist. -1991 if the directory does not exist.
    integer function eaf_stat(path, avail, fstype)
      character(len=*), intent(in) :: path
      integer, intent(inout) :: avail
      character(len=*), intent(inout) :: fstype
    end function eaf_stat

    !> Another name of eaf_stat.
    integer function eaf_stats(path, avail, fstype)
      character(len=*), intent(in) :: path
      integer, intent(inout) :: avail
      character(len=*), intent(inout) :: fstype
    end function eaf_stats

    !> Whether code says that a read met the end of the file.
    logical function eaf_eof(code)
      integer, intent(in) :: code
    end function eaf_eof

    !> What is known about the last error with this code; blank for a number that is no code.
    subroutine eaf_errmsg(code, msg)
      integer, intent(in) :: code
      character(len=*), intent(inout) :: msg
    end subroutine eaf_errmsg

    !> Prints calls, bytes, seconds and MB/s of the file to standard output.
    subroutine eaf_print_stats(fd)
      integer, intent(in) :: fd
    end subroutine eaf_print_stats

    !> The bytes of an integer.
    integer function eaf_util_szint()
    end function eaf_util_szint

    !> Uniform in [0, 1).
    double precision function eaf_util_random()
    end function eaf_util_random
  end interface
end module chemio_eaf
