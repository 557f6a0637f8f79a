! Sections from Fortran: with and without optional arguments, figures while they run, and the table.
program sections
   use vftrace
   use, intrinsic :: iso_c_binding, only: c_double
   implicit none
   type(vftrace_section_id) :: plain, detailed, nothing
   character(len=:), pointer :: text
   real(kind=c_double) :: value
   integer :: i, error

   plain = vftrace_section_register("plain")
   detailed = vftrace_section_register("  detailed ", level=3, live_message="Working", print_dots=.false.)
   do i = 1, 3
      call vftrace_section_begin(plain)
      call vftrace_section_begin(detailed)
      call vftrace_section_end(detailed)
      call vftrace_section_end(plain)
   end do
   call vftrace_section_begin(nothing)
   call vftrace_section_end(nothing)
   print "(a, f4.1)", "calls", vftrace_section_data(vftrace_calls, "plain")
   value = vftrace_section_data(vftrace_total, "plain") - vftrace_section_data(vftrace_children, "plain") &
           - vftrace_section_data(vftrace_self, "plain", this_thread=.true.)
   print "(a, l2)", "sum", abs(value) < 1.0e-9_c_double
   value = vftrace_section_data(vftrace_total, "unknown", error=error)
   print "(a, l2, l2)", "unknown", error == vftrace_section_unknown, value /= value
   print "(a, f4.1)", "missing", vftrace_section_data(vftrace_total, "unknown", must_exist=.false.)
   text => vftrace_section_text(level=6, heaviest=1)
   print "(a, l2)", "text", associated(text)
   if (associated(text)) then
      print "(l2, l2)", index(text, "|   plain ") > 0, index(text, "Heaviest Sections:") > 0
      deallocate (text)
   end if
end program sections
