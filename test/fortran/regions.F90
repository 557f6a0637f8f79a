! Regions from Fortran: nested, in a loop, with padded, empty and very long names.
! The profile must show, under MAIN: "outer" (1 call), "inner" below it (3 calls), "padded region  "
! (1), the empty name (2), and the long name of 1000 letters (1), and work 3 times below inner.
program regions
   use vftrace
   implicit none
   character(len=1000) :: long_name
   character(len=40) :: padded_variable
   real(kind=8) :: total
   integer :: i

   total = 0.0d0
   call vftrace_region_begin("outer")
   do i = 1, 3
      call vftrace_region_begin("inner")
      total = total + work(200000)
      call vftrace_region_end("inner")
   end do
   call vftrace_region_end("outer")

   padded_variable = "  padded region"
   call vftrace_region_begin("  padded region ")
   call vftrace_region_end(padded_variable)

   call vftrace_region_begin("")
   call vftrace_region_end("")
   call vftrace_region_begin("   ")
   call vftrace_region_end("   ")

   long_name = repeat("n", len(long_name))
   call vftrace_region_begin(long_name)
   call vftrace_region_end(long_name)

   print "(a, f0.3)", "total ", total

contains

   function work(steps) result(total)
      integer, intent(in) :: steps
      real(kind=8) :: total
      integer :: i

      total = 0.0d0
      do i = 1, steps
         total = total + sin(real(i, kind=8))
      end do
   end function work
end program regions
