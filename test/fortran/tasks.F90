! Tasks from Fortran: nested, run in turns, ended in all ways, and never created.
program tasks
   use vftrace
   implicit none
   type(vftrace_task_id) :: outer, inner, failing, unwanted, none
   integer :: i

   outer = vftrace_task_create("outer", __FILE__, __LINE__)
   do i = 1, 3
      call vftrace_task_run(outer)
      inner = vftrace_task_create(" inner  ")
      call vftrace_task_run(inner)
      call vftrace_task_complete(inner)
      call vftrace_task_pause(outer)
   end do
   print "(a, l2, l2, l2)", "live", vftrace_task_is_live(outer), vftrace_task_is_live(inner), &
      vftrace_task_is_live(none)
   call vftrace_task_complete(outer)
   failing = vftrace_task_create("failing")
   call vftrace_task_run(failing)
   call vftrace_task_fail(failing)
   unwanted = vftrace_task_create("unwanted", file="some/where.F90", line=7)
   call vftrace_task_cancel(unwanted)
   call vftrace_task_run(none)
   call vftrace_task_pause(none)
   call vftrace_task_complete(none)
end program tasks
