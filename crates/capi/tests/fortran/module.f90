! The calls through the module chemio_eaf: explicit interfaces take buffers of any type and rank.
! It writes into the directory named in the file "directory".
program module
  use chemio_eaf
  implicit none
  integer :: failures = 0
  character(len=:), allocatable :: directory

  call read_directory
  call any_type_and_rank_is_a_buffer
  call asynchronous_buffers_are_moved_while_the_program_computes
  call results_and_messages_are_those_of_the_include_file
  if (failures /= 0) stop 1

contains

  subroutine read_directory
    character(len=4096) :: line
    integer :: unit
    open (newunit=unit, file='directory', status='old')
    read (unit, '(a)') line
    close (unit)
    directory = trim(line)
  end subroutine read_directory

  subroutine check(what, found, expected)
    character(len=*), intent(in) :: what
    integer, intent(in) :: found, expected
    if (found == expected) return
    print *, 'not so: ', what, found, expected
    failures = failures + 1
  end subroutine check

  subroutine done(what)
    character(len=*), intent(in) :: what
    print '(a,a)', merge('ok     ', 'FAILED ', failures == 0), what
  end subroutine done

  subroutine any_type_and_rank_is_a_buffer
    type :: shell
      integer :: l
      double precision :: exponent
    end type shell
    type(shell) :: written, found
    complex(kind(1d0)) :: matrix(3, 4), again(3, 4)
    logical :: flags(5), flags_again(5)
    character(len=11) :: text
    double precision, allocatable :: none(:)
    integer :: fd, bytes
    written = shell(2, 0.8d0)
    matrix = (1d0, -2d0)
    flags = [.true., .false., .true., .true., .false.]
    call check('open', eaf_open(directory//'/types', eaf_rw, fd), 0)
    bytes = storage_size(written)/8
    call check('a derived type', eaf_write(fd, 0d0, written, bytes), 0)
    call check('a derived type', eaf_read(fd, 0d0, found, bytes), 0)
    call check('its component', found%l, 2)
    call check('a matrix', eaf_write(fd, 100d0, matrix, 192), 0)
    call check('columns of it', eaf_read(fd, 148d0, again(:, 2:4), 144), 0)
    call check('its last element', merge(0, 1, again(3, 4) == (1d0, -2d0)), 0)
    bytes = size(flags)*storage_size(flags)/8
    call check('logicals', eaf_write(fd, 400d0, flags, bytes), 0)
    call check('logicals', eaf_read(fd, 400d0, flags_again, bytes), 0)
    call check('logicals', merge(0, 1, all(flags .eqv. flags_again)), 0)
    call check('text', eaf_write(fd, 500d0, 'hello world', 11), 0)
    call check('text', eaf_read(fd, 500d0, text, 11), 0)
    call check('text', merge(0, 1, text == 'hello world'), 0)
    allocate (none(0))
    call check('nothing', eaf_write(fd, 0d0, none, 0), 0)
    call check('close', eaf_close(fd), 0)
    call check('delete', eaf_delete(directory//'/types'), 0)
    call done('any type and rank is a buffer')
  end subroutine any_type_and_rank_is_a_buffer

  subroutine asynchronous_buffers_are_moved_while_the_program_computes
    integer, parameter :: records = 8, elements = 100000
    double precision, asynchronous :: out(elements, records), in(elements, records)
    integer :: fd, i, writes(records), reads(records), status
    call check('open', eaf_open(directory//'/async', eaf_rw, fd), 0)
    do i = 1, records
      out(:, i) = dble(i)
      call check('awrite', eaf_awrite(fd, (i - 1)*8d0*elements, out(1, i), 8*elements, writes(i)), 0)
    end do
    do i = 1, records
      call check('wait', eaf_wait(fd, writes(i)), 0)
      call check('aread', eaf_aread(fd, (i - 1)*8d0*elements, in(1, i), 8*elements, reads(i)), 0)
    end do
    do i = records, 1, -1
      call check('wait', eaf_wait(fd, reads(i)), 0)
      call check('probe', eaf_probe(reads(i), status), 0)
      call check('status', status, 0)
      call check('data', merge(0, 1, all(in(:, i) == dble(i))), 0)
    end do
    call check('close', eaf_close(fd), 0)
    call check('delete', eaf_delete(directory//'/async'), 0)
    call done('asynchronous buffers are moved while the program computes')
  end subroutine asynchronous_buffers_are_moved_while_the_program_computes

  subroutine results_and_messages_are_those_of_the_include_file
    integer :: fd, megabytes
    double precision :: length
    character(len=80) :: text
    character(len=8) :: kind
    call check('open', eaf_open(directory//'/none', eaf_r, fd), eaf_err_open)
    call eaf_errmsg(eaf_err_open, text)
    call check('message', index(text, 'No such file or directory'), 1)
    call check('stat', eaf_stat(directory//'/none', megabytes, kind), 0)
    call check('stats', eaf_stats(directory//'/none', megabytes, kind), 0)
    call check('type', merge(0, 1, kind == 'UFS' .and. megabytes > 0), 0)
    call check('open', eaf_open(directory//'/some', eaf_rw, fd), eaf_ok)
    call check('truncate', eaf_truncate(fd, 4096d0), 0)
    call check('length', eaf_length(fd, length), 0)
    call check('length', int(length), 4096)
    call check('eof', merge(0, 1, eaf_eof(elio_err_eof)), 0)
    call check('width', eaf_util_szint(), bit_size(fd)/8)
    call check('random', floor(eaf_util_random()), 0)
    call eaf_print_stats(fd)
    call check('close', eaf_close(fd), 0)
    call check('delete', eaf_delete(directory//'/some'), 0)
    call done('results and messages are those of the include file')
  end subroutine results_and_messages_are_those_of_the_include_file

end program module
