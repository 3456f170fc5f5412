! The integrals that are kept: first in memory, then in this rank's private file, through EAF.
!
! Records are numbered from one in the order in which they were filled, which is that of falling bounds. Memory
! takes the first ones and the file the rest. Reading walks over the records that matter, and asks for the next
! one on disk before it hands out the present one, so that disk and Fock matrix overlap.
module integral_file
  use chemio_eaf
  use, intrinsic :: iso_c_binding, only: c_int
  use parallel
  use integral_record
  implicit none
  private
  public :: open_store, keep_quartet, finish_store, close_store, start_reading, next_record
  public :: store_values, store_disk_bytes, store_memory_bytes, store_records
  public :: io_wait, bytes_read, records_read, records_skipped, reset_io_counters, check_eaf

  ! 65536 words, 256 KiB, are 32768 8-byte values.
  integer, parameter :: usual_words = 65536

  ! Records in memory hold their words; those on disk only their bound.
  type(record_t), allocatable, target :: records(:)
  integer :: nrecord = 0, in_memory = 0, memory_limit = 0, disk_limit = 0, record_words = 0, record_bytes = 0
  type(record_t), target :: disk_buffer(2)
  logical :: filling = .false., file_is_open = .false.
  integer :: fd = -1
  character(len=:), allocatable :: path

  ! Reading: `ahead` is the record on its way into disk_buffer(side), 0 if none.
  integer :: current = 0, ahead = 0, request = 0, side = 1
  real(dp) :: wanted_bound = 0

  real(dp), protected :: store_values = 0                           ! values kept by this rank
  real(dp), protected :: io_wait = 0, bytes_read = 0, records_read = 0, records_skipped = 0

  interface
    integer(c_int) function getpid() bind(c)
      import :: c_int
    end function getpid
  end interface

contains

  ! `largest_block`: values of the largest quartet. The file itself is made when it is needed.
  subroutine open_store(memory_bytes, disk_bytes, scratch, largest_block)
    real(dp), intent(in) :: memory_bytes, disk_bytes
    character(len=*), intent(in) :: scratch
    integer, intent(in) :: largest_block
    character(len=40) :: name
    record_words = max(usual_words, header_words + 8 + 2*largest_block)
    record_bytes = 4*record_words
    memory_limit = int(min(memory_bytes/record_bytes, 1e9_dp))
    disk_limit = int(min(disk_bytes/record_bytes, 1e9_dp))
    nrecord = 0
    in_memory = 0
    store_values = 0
    filling = .false.
    allocate (records(1024))
    call new_record(disk_buffer(1), record_words)
    call new_record(disk_buffer(2), record_words)
    write (name, '(a,i0,a,i0,a)') 'scf_', getpid(), '_', rank, '.integrals'
    path = trim(scratch)//'/'//trim(name)
  end subroutine open_store

  ! Keeps a computed quartet. `kept` is false if memory and file are full.
  subroutine keep_quartet(p, q, values, largest, kept)
    integer, intent(in) :: p, q
    real(dp), intent(in) :: values(:), largest
    logical, intent(out) :: kept
    kept = .false.
    if (filling) call append_block(records(nrecord), p, q, values, largest, kept)
    if (.not. kept) then
      if (nrecord >= memory_limit + disk_limit) return
      call flush_record()
      call start_record()
      if (failed()) return
      call append_block(records(nrecord), p, q, values, largest, kept)
    end if
    if (kept) store_values = store_values + size(values)
  end subroutine keep_quartet

  subroutine start_record()
    type(record_t), allocatable :: longer(:)
    if (nrecord == size(records)) then
      allocate (longer(2*nrecord))
      longer(1:nrecord) = records
      call move_alloc(longer, records)
    end if
    nrecord = nrecord + 1
    if (nrecord <= memory_limit) then
      call new_record(records(nrecord), record_words)
      if (failed()) return
      in_memory = nrecord
    else
      call open_file()
      records(nrecord) = disk_buffer(1)
    end if
    call begin_record(records(nrecord), nrecord)
    filling = .true.
  end subroutine start_record

  subroutine flush_record()
    if (.not. filling) return
    filling = .false.
    if (nrecord <= in_memory) return
    nullify (records(nrecord)%word, records(nrecord)%short, records(nrecord)%single, records(nrecord)%double)
    if (.not. file_is_open) return
    io_wait = io_wait - wall_seconds()
    call check_eaf(eaf_write(fd, record_offset(nrecord), disk_buffer(1)%word, record_bytes), 'eaf_write', path)
    io_wait = io_wait + wall_seconds()
  end subroutine flush_record

  real(dp) function record_offset(number)
    integer, intent(in) :: number
    record_offset = real(number - in_memory - 1, dp)*record_bytes
  end function record_offset

  subroutine open_file()
    if (file_is_open) return
    ! A killed job with the same process number may have left one behind.
    call check_eaf(eaf_delete(path), 'eaf_delete', path)
    call check_eaf(eaf_open(path, eaf_rw, fd), 'eaf_open', path)
    file_is_open = .not. failed()
  end subroutine open_file

  ! After the last quartet. Asking for the length also brings out errors of writes that were still on their way.
  subroutine finish_store()
    real(dp) :: length
    call flush_record()
    if (failed() .or. .not. file_is_open) return
    length = 0
    call check_eaf(eaf_length(fd, length), 'eaf_length', path)
    if (.not. failed() .and. length /= store_disk_bytes()) &
      call fail(rank_name()//': '//path//' does not have the length that was written')
  end subroutine finish_store

  real(dp) function store_disk_bytes()
    store_disk_bytes = real(nrecord - in_memory, dp)*record_bytes
  end function store_disk_bytes

  real(dp) function store_memory_bytes()
    store_memory_bytes = real(in_memory, dp)*record_bytes
  end function store_memory_bytes

  real(dp) function store_records()
    store_records = nrecord
  end function store_records

  ! From here on `next_record` gives the records that hold a value >= smallest.
  subroutine start_reading(smallest)
    real(dp), intent(in) :: smallest
    wanted_bound = smallest
    current = 0
    ahead = 0
    call read_ahead(in_memory)
  end subroutine start_reading

  ! Points to the next record, or to nothing at the end.
  subroutine next_record(r)
    type(record_t), pointer, intent(out) :: r
    integer :: n
    nullify (r)
    n = next_wanted(current)
    records_skipped = records_skipped + (n - current - 1)
    current = n
    if (n > nrecord .or. failed()) return
    if (n <= in_memory) then
      r => records(n)
    else
      call await(n, r)
    end if
    records_read = records_read + 1
  end subroutine next_record

  ! The first wanted record after `n`; nrecord + 1 if there is none.
  integer function next_wanted(n)
    integer, intent(in) :: n
    next_wanted = n + 1
    do while (next_wanted <= nrecord)
      if (records(next_wanted)%bound >= wanted_bound) exit
      next_wanted = next_wanted + 1
    end do
  end function next_wanted

  ! Asks for the first wanted record on disk after `n`.
  subroutine read_ahead(n)
    integer, intent(in) :: n
    ahead = next_wanted(n)
    if (ahead > nrecord) then
      ahead = 0
      return
    end if
    io_wait = io_wait - wall_seconds()
    call check_eaf(eaf_aread(fd, record_offset(ahead), disk_buffer(side)%word, record_bytes, request), &
                   'eaf_aread', path)
    io_wait = io_wait + wall_seconds()
  end subroutine read_ahead

  ! Waits for record `n`, which is on its way, and sends for the one after it.
  subroutine await(n, r)
    integer, intent(in) :: n
    type(record_t), pointer, intent(out) :: r
    nullify (r)
    io_wait = io_wait - wall_seconds()
    call check_eaf(eaf_wait(fd, request), 'eaf_wait', path)
    io_wait = io_wait + wall_seconds()
    if (failed()) return
    if (.not. record_is_sound(disk_buffer(side), n)) then
      call fail(rank_name()//': '//path//' does not hold what was written there')
      return
    end if
    bytes_read = bytes_read + record_bytes
    r => disk_buffer(side)
    side = 3 - side
    call read_ahead(n)
  end subroutine await

  subroutine reset_io_counters()
    io_wait = 0
    bytes_read = 0
    records_read = 0
    records_skipped = 0
  end subroutine reset_io_counters

  ! Deletes the file and frees the memory. Also called after a failure: says nothing of further ones.
  subroutine close_store()
    integer :: i, code
    if (.not. allocated(records)) return
    do i = 1, in_memory
      call free_record(records(i))
    end do
    deallocate (records)
    if (file_is_open) then
      if (ahead > 0) code = eaf_wait(fd, request)
      code = eaf_close(fd)
      code = eaf_delete(path)
    end if
    file_is_open = .false.
    filling = .false.
    ahead = 0
    call free_record(disk_buffer(1))
    call free_record(disk_buffer(2))
  end subroutine close_store

  ! Turns a bad EAF code into a failure of this rank.
  subroutine check_eaf(code, operation, file)
    integer, intent(in) :: code
    character(len=*), intent(in) :: operation, file
    character(len=255) :: reason
    if (code == 0) return
    reason = ' '
    call eaf_errmsg(code, reason)
    call fail(rank_name()//': '//operation//' '//trim(file)//': '//trim(reason))
  end subroutine check_eaf

end module integral_file
