! Parameters of all types that the module supports.
program parameters
   use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
   use vftrace
   implicit none
   integer(kind=int32) :: steps = -7
   integer(kind=int64) :: cells = 4000000000_int64
   real(kind=real32) :: ratio = 0.5_real32
   real(kind=real64) :: tolerance = 1.0e-6_real64
   integer :: sizes(3) = [10, 20, 30]

   call vftrace_parameter(steps, "steps")
   call vftrace_parameter(cells, "cells   ")
   call vftrace_parameter(ratio, "ratio")
   call vftrace_parameter(tolerance, "tolerance")
   call vftrace_parameter(sizes(2), "size 2")
   call vftrace_parameter(100, "constant")
   call vftrace_parameter(steps, "")
   call vftrace_region_begin("work")
   call vftrace_region_end("work")
   print "(a)", "done"
end program parameters
