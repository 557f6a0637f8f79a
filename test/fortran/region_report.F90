! Regions with hints and epochs from Fortran: 4 epochs, "sweep" (4 times, memory) in each, "setup" (ignored).
program region_report
   use vftrace
   implicit none
   integer :: i

   call vftrace_region_hint("sweep ", vftrace_hint_memory)
   call vftrace_region_hint("setup", vftrace_hint_ignore)
   call work(0.3d0)
   call vftrace_region_begin("setup")
   call vftrace_epoch()
   call vftrace_region_end("setup")
   do i = 1, 4
      call vftrace_epoch()
      call vftrace_region_begin("sweep")
      call work(0.05d0)
      call vftrace_region_end("sweep")
   end do

contains

   subroutine work(seconds)
      real(kind=8), intent(in) :: seconds
      integer(kind=8) :: start, now, rate

      call system_clock(start, rate)
      now = start
      do while (real(now - start, 8) < seconds*real(rate, 8))
         call system_clock(now)
      end do
   end subroutine work
end program region_report
