! What cannot be returned ends the program: as in errors.c, for the
! conventions of Fortran. Arguments: what to do wrong, and who does it, a
! process or all. Without arguments it lists what there is. Valid in
! fixed and in free form, with INTEGER of 4 and of 8 bytes.
      program mistakes
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      character*32 what, who
      character*1 tab
      integer g, wrong
      double precision x(10, 7)
      tab = char(9)
      call get_command_argument(1, what)
      call get_command_argument(2, who)
      if (what .eq. ' ') then
        write(*,'(5a)') 'fortran_error', tab, 'alone', tab,             &
     &    'ga_error: the end (code 7)'
        write(*,'(5a)') 'fortran_handle', tab, 'alone', tab,            &
     &    'ga_zero: array not active'
        write(*,'(5a)') 'fortran_bounds', tab, 'alone', tab,            &
     &    'ga_put: array m (handle -1000): section [1:11,1:7] is not'
        write(*,'(5a)') 'fortran_operator', tab, 'alone', tab,          &
     &    'ga_dgop: operator "mean"'
        write(*,'(5a)') 'fortran_copy', tab, 'all', tab, 'ga_copy: '
        write(*,'(5a)') 'fortran_group', tab, 'alone', tab,             &
     &    'nga_create_config: no group of processes has the handle 17'
        stop
      end if
      call ga_initialize()
      if (.not. ga_create(mt_dbl, 10, 7, 'm', -1, -1, g)) stop 2
      x = 0.0d0
      wrong = ga_nodeid()
      if (who .ne. 'all') read(who, *) wrong
      write(0,*) 'about to'
      if (wrong .eq. ga_nodeid()) call make_mistake(what, g, x)
      call ga_sync()
      write(0,*) 'survived'
      end

      subroutine make_mistake(what, g, x)
      implicit none
      include 'mafdecls.fh'
      include 'global.fh'
      character*(*) what
      integer g, h
      double precision x(10, 7)
      logical ok
      if (what .eq. 'fortran_error') call ga_error('the end', 7)
      if (what .eq. 'fortran_handle') call ga_zero(-5)
      if (what .eq. 'fortran_bounds') call ga_put(g,1,11,1,7,x,10)
      if (what .eq. 'fortran_operator') call ga_dgop(9, x, 1, 'mean')
      if (what .eq. 'fortran_copy') then
        ok = ga_create(mt_dbl, 7, 10, 'other', -1, -1, h)
        call ga_copy(g, h)
      end if
      if (what .eq. 'fortran_group') then
        ok = nga_create_config(mt_dbl, 1, 9, 'g', -1, 17, h)
      end if
      end
