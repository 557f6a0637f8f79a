! Pause and resume from Fortran. The profile must show measured (4 calls: 2 before, 2 after) and
! vftrace_pause, but neither paused_work nor the region "paused region".
program pause_resume
   use vftrace
   implicit none
   real(kind=8) :: total

   total = 0.0d0
   call measured(total)
   call measured(total)

   call vftrace_pause()
   call vftrace_pause()  ! a second pause has no effect
   call vftrace_region_begin("paused region")
   call paused_work(total)
   call vftrace_region_end("paused region")
   call vftrace_resume()

   call measured(total)
   call measured(total)
   print "(a, f0.3)", "total ", total

contains

   subroutine measured(total)
      real(kind=8), intent(inout) :: total

      call add_sines(100000, total)
   end subroutine measured

   subroutine paused_work(total)
      real(kind=8), intent(inout) :: total

      call add_sines(300000, total)
   end subroutine paused_work

   subroutine add_sines(steps, total)
      integer, intent(in) :: steps
      real(kind=8), intent(inout) :: total
      integer :: i

      do i = 1, steps
         total = total + sin(real(i, kind=8))
      end do
   end subroutine add_sines
end program pause_resume
