!> DRA, disk-resident arrays: explicit interfaces. The calls are those of dra.fh; use one or the other.
!>
!> Functions return 0 or a code below; dra_errmsg tells what it means and what happened. Indices count from 1, the first one varies
!> fastest, and bounds are inclusive. All calls are collective and return the same on every rank, but for dra_inquire,
!> ndra_inquire, dra_hosts, dra_get_attribute and the subroutines. The elements of a global array are left alone from the start of a
!> transfer to dra_wait.
module chemio_dra
  implicit none
  public

  !> Access modes: reading and writing, writing only, reading only.
  integer, parameter :: dra_rw = -1, dra_w = -2, dra_r = -3

  !> The request of a call that started no transfer; waiting for it is no error.
  integer, parameter :: dra_req_invalid = -333

  !> Result codes.
  ! begin codes
  integer, parameter :: dra_ok = 0 !< no error
  integer, parameter :: dra_fail = 1 !< the operation on the disk-resident array failed
  integer, parameter :: dra_err_missing = -1 !< there is no such array, only half of one, or no such attribute
  integer, parameter :: dra_err_seek = -2000 !< an offset in a file is out of range
  integer, parameter :: dra_err_write = -1999 !< writing failed
  integer, parameter :: dra_err_awrite = -1998 !< writing asynchronously failed
  integer, parameter :: dra_err_read = -1997 !< reading failed
  integer, parameter :: dra_err_aread = -1996 !< reading asynchronously failed
  integer, parameter :: dra_err_handle = -1994 !< no array has this handle, or no such request
  integer, parameter :: dra_err_mode = -1993 !< invalid access mode, or the array is open for something else
  integer, parameter :: dra_err_stat = -1991 !< the file system cannot be asked
  integer, parameter :: dra_err_open = -1990 !< a file of the array could not be made or opened
  integer, parameter :: dra_err_unsupported = -1988 !< not supported on this machine
  integer, parameter :: dra_err_delete = -1987 !< a file of the array could not be removed
  integer, parameter :: dra_err_close = -1986 !< data written earlier did not arrive when a file was closed
  integer, parameter :: dra_err_truncate = -1978 !< the length of a file could not be set
  integer, parameter :: dra_err_eof = -1977 !< a file of the array is too short
  integer, parameter :: dra_err_fsync = -1976 !< data did not reach the device
  integer, parameter :: dra_err_unknown = -1975 !< an internal error, or an unknown one
  integer, parameter :: dra_err_too_short = -10016 !< a character argument is too short for the answer
  ! end codes

  interface
    !> Begins the use of arrays on disk. max_memory: bytes on each rank for transfers; the others do not matter.
    integer function dra_init(max_arrays, max_array_size, total_disk_space, max_memory)
      integer, intent(in) :: max_arrays
      double precision, intent(in) :: max_array_size, total_disk_space, max_memory
    end function dra_init

    !> Closes every array that is open and ends what dra_init began.
    integer function dra_terminate()
    end function dra_terminate

    !> Makes a matrix on disk, in place of one that may be there. Extents of a typical section: -1 is "don't know".
    integer function dra_create(type, dim1, dim2, name, filename, mode, reqdim1, reqdim2, d_a)
      integer, intent(in) :: type, dim1, dim2, mode, reqdim1, reqdim2
      character(len=*), intent(in) :: name, filename
      integer, intent(inout) :: d_a
    end function dra_create

    !> Makes an array on disk of 1 to 7 dimensions.
    integer function ndra_create(type, ndim, dims, name, filename, mode, reqdims, d_a)
      integer, intent(in) :: type, ndim, dims(*), mode, reqdims(*)
      character(len=*), intent(in) :: name, filename
      integer, intent(inout) :: d_a
    end function ndra_create

    !> As ndra_create, in so many files, for which so many processes do the input and output; -1 is "don't know".
    integer function ndra_create_config(type, ndim, dims, name, filename, mode, reqdims, numfiles, ioprocs, d_a)
      integer, intent(in) :: type, ndim, dims(*), mode, reqdims(*), numfiles, ioprocs
      character(len=*), intent(in) :: name, filename
      integer, intent(inout) :: d_a
    end function ndra_create_config

    !> Opens an array that is there; -1 if there is none.
    integer function dra_open(filename, mode, d_a)
      character(len=*), intent(in) :: filename
      integer, intent(in) :: mode
      integer, intent(inout) :: d_a
    end function dra_open

    !> Waits until all of the array is on the device; d_a becomes 0.
    integer function dra_close(d_a)
      integer, intent(inout) :: d_a
    end function dra_close

    !> Removes the array from disk; d_a becomes 0.
    integer function dra_delete(d_a)
      integer, intent(inout) :: d_a
    end function dra_delete

    !> Starts writing all of a global array to all of an array on disk.
    integer function dra_write(g_a, d_a, request)
      integer, intent(in) :: g_a, d_a
      integer, intent(inout) :: request
    end function dra_write

    !> Starts reading all of an array on disk to all of a global array.
    integer function dra_read(g_a, d_a, request)
      integer, intent(in) :: g_a, d_a
      integer, intent(inout) :: request
    end function dra_read

    !> The same as dra_write.
    integer function ndra_write(g_a, d_a, request)
      integer, intent(in) :: g_a, d_a
      integer, intent(inout) :: request
    end function ndra_write

    !> The same as dra_read.
    integer function ndra_read(g_a, d_a, request)
      integer, intent(in) :: g_a, d_a
      integer, intent(inout) :: request
    end function ndra_read

    !> Starts writing a section of a matrix, transposed if transp.
    integer function dra_write_section(transp, g_a, gilo, gihi, gjlo, gjhi, d_a, dilo, dihi, djlo, djhi, request)
      logical, intent(in) :: transp
      integer, intent(in) :: g_a, gilo, gihi, gjlo, gjhi, d_a, dilo, dihi, djlo, djhi
      integer, intent(inout) :: request
    end function dra_write_section

    !> Starts reading a section of a matrix, transposed if transp.
    integer function dra_read_section(transp, g_a, gilo, gihi, gjlo, gjhi, d_a, dilo, dihi, djlo, djhi, request)
      logical, intent(in) :: transp
      integer, intent(in) :: g_a, gilo, gihi, gjlo, gjhi, d_a, dilo, dihi, djlo, djhi
      integer, intent(inout) :: request
    end function dra_read_section

    !> Starts writing a section; with transp its dimensions are in reverse order.
    integer function ndra_write_section(transp, g_a, glo, ghi, d_a, dlo, dhi, request)
      logical, intent(in) :: transp
      integer, intent(in) :: g_a, glo(*), ghi(*), d_a, dlo(*), dhi(*)
      integer, intent(inout) :: request
    end function ndra_write_section

    !> Starts reading a section; with transp its dimensions are in reverse order.
    integer function ndra_read_section(transp, g_a, glo, ghi, d_a, dlo, dhi, request)
      logical, intent(in) :: transp
      integer, intent(in) :: g_a, glo(*), ghi(*), d_a, dlo(*), dhi(*)
      integer, intent(inout) :: request
    end function ndra_read_section

    !> Copies an array into one of any bricks with the dimensions in another order: dimension perm(i) of the source becomes
    !> dimension i of the target. It is on the device when this returns, and cannot be read before. Memory is that of dra_init.
    integer function ndra_copy(d_src, d_dst, perm)
      integer, intent(in) :: d_src, d_dst, perm(*)
    end function ndra_copy

    !> The same, made by dra_wait or dra_probe. Neither array may be used before.
    integer function ndra_ncopy(d_src, d_dst, perm, request)
      integer, intent(in) :: d_src, d_dst, perm(*)
      integer, intent(inout) :: request
    end function ndra_ncopy

    !> Waits for a transfer; may be repeated with the same result.
    integer function dra_wait(request)
      integer, intent(in) :: request
    end function dra_wait

    !> Whether a transfer has finished: status is -1 if so, 0 if not.
    integer function dra_probe(request, status)
      integer, intent(in) :: request
      integer, intent(inout) :: status
    end function dra_probe

    !> What is known about a matrix.
    integer function dra_inquire(d_a, type, dim1, dim2, name, filename)
      integer, intent(in) :: d_a
      integer, intent(inout) :: type, dim1, dim2
      character(len=*), intent(inout) :: name, filename
    end function dra_inquire

    !> What is known about an array; dims has room for up to 7 numbers.
    integer function ndra_inquire(d_a, type, ndim, dims, name, filename)
      integer, intent(in) :: d_a
      integer, intent(inout) :: type, ndim, dims(*)
      character(len=*), intent(inout) :: name, filename
    end function ndra_inquire

    !> Where an array is: the number of its parts, and of one of them, counted from 1, its host and the bytes of its files when all
    !> elements have been written. Where all hosts see its directory it has one part, and the host is blank.
    integer function dra_hosts(d_a, part, parts, host, bytes)
      integer, intent(in) :: d_a, part
      integer, intent(inout) :: parts
      character(len=*), intent(inout) :: host
      double precision, intent(inout) :: bytes
    end function dra_hosts

    !> The value of an attribute as a JSON text; -1 if there is no such attribute.
    integer function dra_get_attribute(d_a, key, value)
      integer, intent(in) :: d_a
      character(len=*), intent(in) :: key
      character(len=*), intent(inout) :: value
    end function dra_get_attribute

    !> Gives an attribute a value, a JSON text; a blank one takes it away.
    integer function dra_set_attribute(d_a, key, value)
      integer, intent(in) :: d_a
      character(len=*), intent(in) :: key, value
    end function dra_set_attribute

    !> What is known about the last error with this code; blank for a number that is no code.
    subroutine dra_errmsg(code, msg)
      integer, intent(in) :: code
      character(len=*), intent(inout) :: msg
    end subroutine dra_errmsg

    !> Gives other threads of this process a chance.
    subroutine dra_flick()
    end subroutine dra_flick

    !> Does nothing.
    subroutine dra_set_debug(flag)
      logical, intent(in) :: flag
    end subroutine dra_set_debug

    !> Does nothing.
    subroutine dra_set_mode(mode)
      integer, intent(in) :: mode
    end subroutine dra_set_mode

    !> Prints what is known about an array, on the first rank.
    subroutine dra_print_internals(d_a)
      integer, intent(in) :: d_a
    end subroutine dra_print_internals

    !> What new arrays are like that say nothing themselves; -1 is "don't know": one file and two processes for each host.
    subroutine dra_set_default_config(numfiles, ioprocs)
      integer, intent(in) :: numfiles, ioprocs
    end subroutine dra_set_default_config
  end interface
end module chemio_dra
