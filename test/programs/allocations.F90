! Counts of allocations in Fortran: prints which checks fail, or "all counted". Linked to the
! library that counts.
program allocations
   use, intrinsic :: iso_c_binding, only: c_long_long
   implicit none
   interface
      function allocated_bytes() result(bytes) bind(c, name="vftrace_allocated_bytes")
         import :: c_long_long
         integer(c_long_long) :: bytes
      end function allocated_bytes
   end interface
   real(kind(1d0)), allocatable :: a(:), b(:)
   integer(c_long_long) :: before
   before = allocated_bytes()
   allocate (a(1000))
   a = 1
   call grew(8000_c_long_long, "allocate")
   b = a                              ! allocates
   call grew(16000_c_long_long, "assignment")
   a = [a, b]                         ! allocates anew
   call grew(24000_c_long_long, "longer array")
   deallocate (a)
   call grew(8000_c_long_long, "deallocate")
   call local(500)
   call grew(8000_c_long_long, "local array")
   if (sum(b) /= 1000) print '(a)', "failed: sum"
   deallocate (b)
   call grew(0_c_long_long, "all deallocated")
   print '(a)', "all counted"
contains
   subroutine grew(bytes, what)
      integer(c_long_long), intent(in) :: bytes
      character(*), intent(in) :: what
      integer(c_long_long) :: counted
      counted = allocated_bytes() - before
      if (counted < bytes .or. counted > bytes + 64) then
         print '(3a,i0)', "failed: ", what, ": ", counted
         stop 1
      end if
   end subroutine grew
   subroutine local(n)
      integer, intent(in) :: n
      real(kind(1d0)), allocatable :: c(:)
      allocate (c(n))
      c = 2
      if (sum(c) /= 2*n) print '(a)', "failed: sum"
   end subroutine local
end program allocations
