! Calls of legacy.f that no compiler would accept beside the others: a
! character buffer adds a hidden length, results are ignored, and
! functions are called as subroutines where nothing declares them.
      subroutine test_abused_arguments
      implicit none
      integer sf_create, sf_wait
      external sf_create, sf_wait
      integer h, id, rc, stale
      character*16 text
      rc = sf_create('abused', -1d0, -1d0, -1d0, h)
      text = 'sixteen letters.'
      call sf_write(h, 0d0, 16d0, text, id)
      call check('wait', sf_wait(id), 0)
      call ga_sync()
      text = ' '
      call sf_read(h, 0d0, 16d0, text, id)
      call check('wait', sf_wait(id), 0)
      call check_true('text', text .eq. 'sixteen letters.')
      call sf_fsync(h)
      call sf_fsync(-7)
      call ga_sync()
      stale = h
      call sf_destroy(h)
      call check('handle', h, 0)
      call sf_destroy(stale)
      call check('a stale handle is left alone', stale, -3000)
      call sf_read(stale, 0d0, 16d0, text, id)
      call check('no request', id, -1)
      call done('abused arguments')
      end
