!> SF, shared files: explicit interfaces. The calls are those of sf.fh; use one or the other.
!>
!> Functions return 0 or a code below; sf_errmsg tells what it means and what happened. Offsets, lengths and hints are bytes in
!> a double precision. A buffer is any contiguous variable, array or array element; it must stay where it is until sf_wait
!> (give it the asynchronous or target attribute; never pass a strided section). sf_create, sf_create_suffix and
!> sf_destroy are collective and return the same on every rank; the others are local.
module chemio_sf
  implicit none
  public

  !> Result codes.
  ! begin codes
  integer, parameter :: sf_ok = 0 !< no error
  integer, parameter :: sf_fail = 1 !< the operation on the shared file failed
  integer, parameter :: sf_err_seek = -2000 !< an offset or length is out of range
  integer, parameter :: sf_err_write = -1999 !< writing failed
  integer, parameter :: sf_err_awrite = -1998 !< writing asynchronously failed, or was not started
  integer, parameter :: sf_err_read = -1997 !< reading failed
  integer, parameter :: sf_err_aread = -1996 !< reading asynchronously failed, or was not started
  integer, parameter :: sf_err_handle = -1994 !< no shared file is open under this handle, or no such request
  integer, parameter :: sf_err_mode = -1993 !< the file is open for reading only
  integer, parameter :: sf_err_stat = -1991 !< the file or its directory cannot be asked about
  integer, parameter :: sf_err_open = -1990 !< the shared file could not be created or opened
  integer, parameter :: sf_err_unsupported = -1988 !< not supported on this machine
  integer, parameter :: sf_err_delete = -1987 !< the shared file could not be removed
  integer, parameter :: sf_err_close = -1986 !< data written earlier did not arrive when the file was closed
  integer, parameter :: sf_err_eof = -1977 !< end of file: less was read than asked for
  integer, parameter :: sf_err_fsync = -1976 !< data did not reach the device
  integer, parameter :: sf_err_unknown = -1975 !< unknown error
  integer, parameter :: sf_err_noninteger_offset = -10018 !< an offset or length is not a whole number
  ! end codes

  interface
    !> Makes the file <fname>.<n>, or finds it again; handle is n - 3000, the lowest that is free (0 is left out). Hints: -1 is
    !> "don't know".
    integer function sf_create(fname, size_hard_limit, size_soft_limit, req_size, handle)
      character(len=*), intent(in) :: fname
      double precision, intent(in) :: size_hard_limit, size_soft_limit, req_size
      integer, intent(inout) :: handle
    end function sf_create

    !> As sf_create, for the file <fname>.<suffix>.
    integer function sf_create_suffix(fname, size_hard_limit, size_soft_limit, req_size, handle, suffix)
      character(len=*), intent(in) :: fname
      double precision, intent(in) :: size_hard_limit, size_soft_limit, req_size
      integer, intent(inout) :: handle
      integer, intent(in) :: suffix
    end function sf_create_suffix

    !> Waits for what is under way and removes the file; handle becomes 0.
    integer function sf_destroy(handle)
      integer, intent(inout) :: handle
    end function sf_destroy

    !> Opens the file for reading and writing, whether it was open or closed.
    integer function sf_open(handle)
      integer, intent(in) :: handle
    end function sf_open

    !> Closes the file on this rank, after what is under way has finished.
    integer function sf_close(handle)
      integer, intent(in) :: handle
    end function sf_close

    !> From now on the file is for reading only, whether it was open or closed.
    integer function sf_rwtor(handle)
      integer, intent(in) :: handle
    end function sf_rwtor

    !> Waits until everything that this rank has written is on disk.
    subroutine sf_fsync(handle)
      integer, intent(in) :: handle
    end subroutine sf_fsync

    !> Starts a write; past the end the file grows, a hole reads as zeros. Other ranks see it after sf_wait.
    integer function sf_write(handle, offset, bytes, buffer, req_id)
      integer, intent(in) :: handle
      double precision, intent(in) :: offset, bytes
      !GCC$ attributes no_arg_check :: buffer
      type(*), dimension(*), intent(in), asynchronous :: buffer
      integer, intent(inout) :: req_id
    end function sf_write

    !> Starts a read. buffer must not be used until sf_wait, which reports the end of the file and errors.
    integer function sf_read(handle, offset, bytes, buffer, req_id)
      integer, intent(in) :: handle
      double precision, intent(in) :: offset, bytes
      !GCC$ attributes no_arg_check :: buffer
      type(*), dimension(*), asynchronous :: buffer
      integer, intent(inout) :: req_id
    end function sf_read

    !> Waits for a request; may be repeated with the same result. -1 is nothing to wait for.
    integer function sf_wait(req_id)
      integer, intent(in) :: req_id
    end function sf_wait

    !> Waits for num requests and returns the first error among them; list stays as it is.
    integer function sf_waitall(list, num)
      integer, intent(in) :: num, list(*)
    end function sf_waitall

    !> What is known about the last error with this code; blank for a number that is no code.
    subroutine sf_errmsg(code, msg)
      integer, intent(in) :: code
      character(len=*), intent(inout) :: msg
    end subroutine sf_errmsg
  end interface
end module chemio_sf
