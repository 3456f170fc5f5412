! The fragment again, for paper.f90, with the functions that it uses from the module; sf_destroy is none of them.
subroutine by_module
  use chemio_sf, only: sf_create, sf_write, sf_read, sf_wait
  implicit none
  include 'fragment.inc'
end subroutine by_module
