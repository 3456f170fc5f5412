! Every EAF call as old programs make it: implicit interfaces, eaf.fh
! in every routine, arguments abused. Valid in fixed and in free form;
! ci/test-border compiles it in both, with INCLUDE and with cpp.
! It writes into the directory named in the file "directory".
      program legacy
      implicit none
      include 'eaf.fh'
      integer failures
      common /counts/ failures
      failures = 0
      call test_data_come_back
      call test_asynchronous_calls
      call test_names_and_blanks
      call test_bad_arguments
      call test_end_of_file
      call test_length_and_truncate
      call test_abused_arguments
      call test_stat
      call test_messages
      call test_memory_file
      call test_constants
      if (failures .ne. 0) stop 1
      end

      subroutine path_of(name, path)
      implicit none
      character*(*) name, path
      character*4096 line
      integer last
      open(unit=77, file='directory', status='old')
      read(77, '(a)') line
      close(77)
      last = index(line, ' ') - 1
      path = line(1:last) // '/' // name
      end

      subroutine check(what, found, expected)
      implicit none
      character*(*) what
      integer found, expected
      integer failures
      common /counts/ failures
      if (found .eq. expected) return
      write(*,*) 'not so: ', what, found, expected
      failures = failures + 1
      end

      subroutine check_true(what, found)
      implicit none
      character*(*) what
      logical found
      integer failures
      common /counts/ failures
      if (found) return
      write(*,*) 'not so: ', what
      failures = failures + 1
      end

      subroutine done(what)
      implicit none
      character*(*) what
      integer failures
      common /counts/ failures
      if (failures .eq. 0) write(*,'(a,a)') 'ok     ', what
      if (failures .ne. 0) write(*,'(a,a)') 'FAILED ', what
      end

      subroutine test_data_come_back
      implicit none
      include 'eaf.fh'
      character*4200 path
      integer fd, i, bytes
      double precision x(1000), y(1000)
      do i = 1, 1000
        x(i) = 1.0d0 / dble(i)
        y(i) = 0.0d0
      end do
      bytes = 8000
      call path_of('data', path)
      call check('open', eaf_open(path, eaf_rw, fd), 0)
      call check('lowest handle', fd, 0)
      call check('write', eaf_write(fd, 160.0d0, x, bytes), 0)
      call check('read', eaf_read(fd, 160.0d0, y, bytes), 0)
      do i = 1, 1000
        call check_true('same', x(i) .eq. y(i))
      end do
      call check('close', eaf_close(fd), 0)
      call check('delete', eaf_delete(path), 0)
      call check('delete again', eaf_delete(path), 0)
      call done('data come back')
      end

      subroutine test_asynchronous_calls
      implicit none
      include 'eaf.fh'
      character*4200 path
      integer fd, i, req, other, status, bytes
      double precision x(200000), y(200000)
      common /big/ x, y
      do i = 1, 200000
        x(i) = dble(i)
        y(i) = 0.0d0
      end do
      bytes = 1600000
      call path_of('async', path)
      call check('open', eaf_open(path, eaf_rw, fd), 0)
      call check('awrite', eaf_awrite(fd, 0.0d0, x, bytes, req), 0)
      call check('wait', eaf_wait(fd, req), 0)
      call check('wait again', eaf_wait(fd, req), 0)
      call check('aread', eaf_aread(fd, 0.0d0, y, bytes, other), 0)
      call check_true('a new request', other .ne. req)
      status = 1
   10 call check('probe', eaf_probe(other, status), 0)
      if (status .eq. 1) goto 10
      call check('status', status, 0)
      call check('wait', eaf_wait(fd, other), 0)
      call check_true('same', y(1) .eq. 1.0d0)
      call check_true('same', y(200000) .eq. 200000.0d0)
      call check('never issued', eaf_wait(fd, -1), -10011)
      call check('never issued', eaf_probe(-1, status), -10012)
! A read ahead that nobody waits for.
      call check('aread', eaf_aread(fd, 0.0d0, y, bytes, req), 0)
      call check('close', eaf_close(fd), 0)
      call check('wait', eaf_wait(fd, req), -10006)
      call check('delete', eaf_delete(path), 0)
      call done('asynchronous calls')
      end

      subroutine test_names_and_blanks
      implicit none
      include 'eaf.fh'
      character*4200 path
      character*300 long
      integer fd, fd2, bytes
      logical there
      bytes = 1
      call path_of(' leading blank', path)
      call check('open', eaf_open(path, eaf_rw, fd), 0)
      call check('close', eaf_close(fd), 0)
      inquire(file=path(1:len_trim(path)), exist=there)
      call check_true('the leading blank is kept', there)
      call check('delete', eaf_delete(path), 0)
      long = ' '
      long(1:255) = repeat('n', 255)
      call path_of(long, path)
      call check('255 characters', eaf_open(path, eaf_rw, fd), 0)
      call check('close', eaf_close(fd), 0)
      call check('delete', eaf_delete(path), 0)
      long(256:256) = 'n'
      call path_of(long, path)
      fd2 = 4711
      call check('256 characters', eaf_open(path, eaf_rw, fd2), -44)
      call check('fd is left alone', fd2, 4711)
      call check('blank', eaf_open('   ', eaf_rw, fd2), -44)
      call path_of('nul' // char(0) // 'junk', path)
      call check('cut at NUL', eaf_open(path, eaf_rw, fd), 0)
      call check('close', eaf_close(fd), 0)
      call path_of('nul', path)
      inquire(file=path(1:len_trim(path)), exist=there)
      call check_true('cut at NUL', there)
      call done('names and blanks')
      end

      subroutine test_bad_arguments
      implicit none
      include 'eaf.fh'
      character*4200 path
      double precision x(4), zero, nan
      integer fd, req, b
      zero = 0.0d0
      nan = zero / zero
      b = 8
      call path_of('bad', path)
      call check('missing', eaf_open(path, eaf_r, fd), -44)
      call check('type 0', eaf_open(path, 0, fd), -44)
      call check('open', eaf_open(path, eaf_rw, fd), 0)
      call check('fraction', eaf_write(fd, 0.5d0, x, b), -10018)
      call check('NaN', eaf_read(fd, nan, x, b), -10018)
      call check('negative', eaf_write(fd, -8.0d0, x, b), -2000)
      call check('huge', eaf_read(fd, 1.0d15, x, b), -2000)
      call check('count', eaf_write(fd, 0.0d0, x, -1), -2000)
      req = 99
      call check('aread', eaf_aread(fd, 0.5d0, x, b, req), -10018)
      call check('no request', req, -1)
      call check('nothing', eaf_write(fd, 0.0d0, x, 0), 0)
      call check('close', eaf_close(fd), 0)
      call check('close twice', eaf_close(fd), -10006)
      call check('closed', eaf_read(fd, 0.0d0, x, b), -10006)
      call check('invented', eaf_write(12345, nan, x, b), -10006)
      call check('negative', eaf_close(-1), -10006)
      call done('bad arguments')
      end

      subroutine test_end_of_file
      implicit none
      include 'eaf.fh'
      character*4200 path
      double precision x(10), y(10)
      integer fd, req, code, i
      do i = 1, 10
        x(i) = dble(i)
        y(i) = -1.0d0
      end do
      call path_of('eof', path)
      call check('open', eaf_open(path, eaf_w, fd), 0)
      call check('write', eaf_write(fd, 0.0d0, x, 80), 0)
      call check('close', eaf_close(fd), 0)
      call check('open', eaf_open(path, eaf_r, fd), 0)
      code = eaf_read(fd, 40.0d0, y, 80)
      call check('read', code, -1977)
      call check_true('eof', eaf_eof(code))
      call check_true('not eof', .not. eaf_eof(0))
      call check_true('what there is', y(5) .eq. 10.0d0)
      call check_true('and no more', y(6) .eq. -1.0d0)
      call check('aread', eaf_aread(fd, 800.0d0, y, 80, req), 0)
      call check('wait', eaf_wait(fd, req), -1977)
      call check('close', eaf_close(fd), 0)
      call done('end of file')
      end

      subroutine test_length_and_truncate
      implicit none
      include 'eaf.fh'
      character*4200 path
      double precision x(10), length
      integer fd
      x(1) = 1.0d0
      call path_of('length', path)
      call check('open', eaf_open(path, eaf_w, fd), 0)
      call check('far', eaf_write(fd, 3.0d9, x, 8), 0)
      call check('length', eaf_length(fd, length), 0)
      call check_true('beyond 2 GB', length .eq. 3000000008.0d0)
      call check('truncate', eaf_truncate(fd, 80.0d0), 0)
      call check('length', eaf_length(fd, length), 0)
      call check_true('80', length .eq. 80.0d0)
      call check('half', eaf_truncate(fd, 0.5d0), -10018)
      call check('close', eaf_close(fd), 0)
      call check('delete', eaf_delete(path), 0)
      call done('length and truncate')
      end

! A character buffer adds a hidden length behind all arguments.
      subroutine test_abused_arguments
      implicit none
      include 'eaf.fh'
      character*4200 path
      character*5 text
      integer fd, req, b
      double precision number
      b = 5
      call path_of('abused', path)
      call check('open', eaf_open(path, eaf_rw, fd), 0)
      call check('text', eaf_write(fd, 0.0d0, 'hello', b), 0)
      call check('text', eaf_read(fd, 0.0d0, text, b), 0)
      call check_true('hello', text .eq. 'hello')
      call check('text', eaf_awrite(fd, 0.0d0, 'world', b, req), 0)
      call check('wait', eaf_wait(fd, req), 0)
      text = ' '
      call check('text', eaf_aread(fd, 0.0d0, text, b, req), 0)
      call check('wait', eaf_wait(fd, req), 0)
      call check_true('world', text .eq. 'world')
! A double where eaf_stat declares an integer.
      call check('stat', eaf_stat(path, number, text), 0)
      call check_true('UFS', text .eq. 'UFS')
      call eaf_print_stats(fd)
      call check('close', eaf_close(fd), 0)
      call done('abused arguments')
      end

      subroutine test_stat
      implicit none
      include 'eaf.fh'
      character*4200 path
      character*8 kind
      character*3 three
      character*2 two
      integer mb
      call path_of('no such file', path)
      mb = -1
      call check('stat', eaf_stat(path, mb, kind), 0)
      call check_true('megabytes', mb .gt. 0)
      call check_true('UFS', kind .eq. 'UFS     ')
      call check('stats', eaf_stats(path, mb, three), 0)
      call check_true('UFS', three .eq. 'UFS')
      call check('short', eaf_stat(path, mb, two), -10016)
      call path_of('no such directory/f', path)
      call check('missing', eaf_stat(path, mb, kind), -1991)
      call done('stat')
      end

      subroutine test_messages
      implicit none
      include 'eaf.fh'
      character*4200 path
      character*80 text
      character*255 long
      character*10 short
      integer fd
      call path_of('no such directory/f', path)
      call check('open', eaf_open(path, eaf_rw, fd), -44)
      call eaf_errmsg(-44, text)
      call check('cause', index(text, 'No such file or directory'), 1)
      call eaf_errmsg(-44, long)
      call check_true('path', index(long, 'directory/f ') .gt. 0)
      call eaf_errmsg(-44, short)
      call check_true('cut', short .eq. 'No such fi')
      call eaf_errmsg(-4711, text)
      call check_true('unknown', text .eq. ' ')
      call eaf_errmsg(-10001, text)
      call check_true('fixed text', text .eq. 'end of file')
      call done('messages')
      end

      subroutine test_memory_file
      implicit none
      include 'eaf.fh'
      character*4200 path
      double precision x, y
      integer fd
      logical there
      x = 4.5d0
      y = 0.0d0
      call path_of('memory', path)
      call check('open', eaf_open(path, 1, fd), 0)
      call check('write', eaf_write(fd, 1048568.0d0, x, 8), 0)
      call check('full', eaf_write(fd, 1048569.0d0, x, 8), -10007)
      call check('close', eaf_close(fd), 0)
      inquire(file=path(1:len_trim(path)), exist=there)
      call check_true('not on disk', .not. there)
      call check('open', eaf_open(path, 1, fd), 0)
      call check('read', eaf_read(fd, 1048568.0d0, y, 8), 0)
      call check_true('same', x .eq. y)
      call check('close', eaf_close(fd), 0)
      call check('delete', eaf_delete(path), 0)
      call check('gone', eaf_open(path, eaf_r, fd), -44)
      call done('memory file')
      end

      subroutine test_constants
      implicit none
      include 'eaf.fh'
      integer width
      double precision r
      call check('rw', eaf_rw, -1)
      call check('w', eaf_w, -2)
      call check('r', EAF_R, -3)
      call check('code', eaf_err_invalid_fd, -10006)
      call check('code', elio_err_eof, -1977)
      width = bit_size(width) / 8
      call check('integer', eaf_util_szint(), width)
      r = eaf_util_random()
      call check_true('random', r .ge. 0.0d0 .and. r .lt. 1.0d0)
      call done('constants')
      end
