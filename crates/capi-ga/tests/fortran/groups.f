! Groups of processes as communicators of MPI, and mistakes of one
! process. Valid in fixed and in free form, with INTEGER of 4 and of 8
! bytes, run on any number of ranks. MPI's own calls take INTEGER of 4
! bytes in either case, and are given them.
      program groups
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      include 'ga-mpi.fh'
      integer failures
      common /counts/ failures
      failures = 0
      call ga_initialize()
      call test_world
      call test_group
      call test_default_group
      call test_dead_handle
      call ga_igop(77, failures, 1, '+')
      if (ga_nodeid() .eq. 0 .and. failures .eq. 0) write(*,*) 'ok'
      call ga_terminate()
      if (failures .ne. 0) stop 1
      end

      include 'checks.fh'

! Whether a communicator has so many ranks, this one at such a place,
! and can be used: all of them meet.
      subroutine check_comm(what, comm, size, rank)
      implicit none
      character*(*) what
      integer comm, size, rank
      integer*4 handle, found, ierr
      handle = int(comm, 4)
      call mpi_comm_size(handle, found, ierr)
      call check(what, int(ierr, kind(size)), 0)
      call check(what, int(found, kind(size)), size)
      call mpi_comm_rank(handle, found, ierr)
      call check(what, int(found, kind(rank)), rank)
      call mpi_barrier(handle, ierr)
      call check(what, int(ierr, kind(size)), 0)
      end

      subroutine test_world
      implicit none
      include 'global.fh'
      include 'ga-mpi.fh'
      integer comm
      comm = -77
      call ga_mpi_comm(comm)
      call check_comm('world', comm, ga_nnodes(), ga_nodeid())
      end

! The first half of the processes.
      integer function half(n)
      implicit none
      include 'global.fh'
      integer n, list(64), k
      n = (ga_nnodes() + 1) / 2
      do k = 1, n
        list(k) = k - 1
      end do
      half = ga_pgroup_create(list, n)
      end

      subroutine test_group
      implicit none
      include 'global.fh'
      include 'ga-mpi.fh'
      integer half, group, comm, n
      external half
      logical ok
      group = half(n)
      if (ga_nodeid() .lt. n) then
        comm = -77
        call ga_mpi_comm_pgroup(comm, group)
        call check_comm('group', comm, n, ga_nodeid())
      end if
      ok = ga_pgroup_destroy(group)
      call ga_sync()
      end

      subroutine test_default_group
      implicit none
      include 'global.fh'
      include 'ga-mpi.fh'
      integer half, group, comm, n, me
      external half
      logical ok
      me = ga_nodeid()
      group = half(n)
      if (me .lt. n) then
        call ga_pgroup_set_default(group)
        comm = -77
        call ga_mpi_comm_pgroup_default(comm)
        call check_comm('default', comm, n, me)
        call ga_pgroup_set_default(ga_pgroup_get_world())
      end if
      ok = ga_pgroup_destroy(group)
      call ga_sync()
      end

! A dead handle on the last process alone: none removes its array, and
! then all do.
      subroutine test_dead_handle
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      integer g, dead
      logical ok
      if (.not. ga_create(mt_dbl, 5, 4, 'a', -1, -1, g)) stop 2
      dead = g
      if (ga_nodeid() .eq. ga_nnodes() - 1) dead = 12345
      ok = ga_destroy(dead)
      if (ok) call check('removed by some', 1, 0)
      ok = ga_verify_handle(g)
      if (.not. ok) call check('still there', 0, 1)
      ok = ga_destroy(g)
      if (.not. ok) call check('removed by all', 0, 1)
      ok = ga_destroy(g)
      if (ok) call check('removed twice', 1, 0)
      call ga_sync()
      end
