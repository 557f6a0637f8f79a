! No hooks were removed from this program: vftrace_restore_hooks returns 0.
program restore_hooks
   use vftrace
   implicit none

   print "(a,i0)", "restored: ", vftrace_restore_hooks()
end program restore_hooks
