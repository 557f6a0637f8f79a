! The call path that vftrace_get_stack returns to Fortran: its length includes a terminating NUL.
! Prints "<length> <path without the NUL>" from the main program, from a subroutine, and from a
! region inside it, then "ends with NUL" if all three did.
program get_stack
   use vftrace
   implicit none
   logical :: all_closed

   all_closed = .true.
   call print_stack()
   call outer()
   if (all_closed) print "(a)", "ends with NUL"

contains

   subroutine outer()
      call inner()
      call vftrace_region_begin("region")
      call print_stack()
      call vftrace_region_end("region")
   end subroutine outer

   subroutine inner()
      call print_stack()
   end subroutine inner

   subroutine print_stack()
      character(len=:), pointer :: stack

      stack => vftrace_get_stack()
      if (.not. associated(stack)) error stop "no stack"
      if (stack(len(stack):) /= achar(0)) all_closed = .false.
      print "(i0, 1x, a)", len(stack), stack(:len(stack) - 1)
      deallocate (stack)
   end subroutine print_stack
end program get_stack
