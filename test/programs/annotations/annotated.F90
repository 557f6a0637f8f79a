! Annotated in Fortran for GPTL, TAU and LIKWID, whose texts are not terminated.
program annotated
   implicit none
   integer, external :: gptlstart, gptlstop
   integer, save :: profiler(2) = (/0, 0/)
   integer :: i, status
   character(len=20) :: padded = 'padded'
   real(8) :: total = 0

   status = gptlstart('gptl')
   call tau_start('tau')
   do i = 1, 3
      call tau_profile_timer(profiler, 'timer')
      call tau_profile_start(profiler)
      call likwid_markerstartregion(padded)
      call work(total)
      call likwid_markerstopregion(padded)
      call tau_profile_stop(profiler)
   end do
   call tau_stop('tau')
   status = gptlstop('gptl')
   print '(a,i0)', 'done ', merge(1, 0, total > 1)
contains
   subroutine work(total)
      real(8), intent(inout) :: total
      integer :: k
      do k = 1, 100000
         total = total + 1d0/k
      end do
   end subroutine
end program
