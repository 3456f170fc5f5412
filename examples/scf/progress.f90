! One line on standard error, now and then, while a pass over the integrals takes long.
module progress
  use, intrinsic :: iso_fortran_env, only: error_unit
  use parallel
  implicit none
  private
  public :: start_progress, show_progress

  real(dp), parameter :: seconds_between = 2
  character(len=40) :: label = ' '
  real(dp) :: total = 1, started = 0, shown = 0

contains

  subroutine start_progress(what, work)
    character(len=*), intent(in) :: what
    real(dp), intent(in) :: work
    label = what
    total = max(work, tiny(work))
    started = wall_seconds()
    shown = started
  end subroutine start_progress

  ! Rank 0 speaks for all: the work is shared out evenly.
  subroutine show_progress(done)
    real(dp), intent(in) :: done
    real(dp) :: now
    if (rank /= 0) return
    now = wall_seconds()
    if (now - shown < seconds_between) return
    shown = now
    write (error_unit, '(2x,a,i4,a,f9.1,a)') trim(label), int(100*min(done/total, 1._dp)), ' %', now - started, ' s'
    flush (error_unit)
  end subroutine show_progress

end module progress
