! A tracer in the eddies of a closed basin, and heat in the ground below: a few subroutines that
! consist of loops only: stencils, sweeps of an alternating-direction implicit method and a matrix
! product. Each call takes milliseconds. They are external procedures, too long to be inlined.
!
!   long_functions [SECONDS]
program long_functions
   implicit none
   integer, parameter :: dp = kind(1d0), n = 896, samples = 112, deep = 112
   real(dp), parameter :: h = 1d0/n, time_step = 0.08d0*h, diffusion = 0.02d0*h
   real(dp), allocatable :: vorticity(:, :), smoothed(:, :), stream(:, :), u(:, :), v(:, :)
   real(dp), allocatable :: tracer(:, :), next(:, :), picked(:, :), turned(:, :), product(:, :)
   real(dp), allocatable :: ground(:, :, :), later(:, :, :)
   real(dp) :: before, total, largest, energy, trace
   integer, external :: work_steps
   external :: set_vorticity, smooth, relax_stream, find_velocity, advect_x, advect_y
   external :: diffuse_x, diffuse_y, pick_samples, multiply, conduct, summarise
   integer :: steps, step, i

   steps = work_steps(21d0)
   allocate (vorticity(0:n, 0:n), smoothed(0:n, 0:n), stream(0:n, 0:n), source=0d0)
   allocate (u(0:n, n), v(n, 0:n), tracer(n, n), next(n, n), source=0d0)
   allocate (picked(n, samples), turned(samples, n), product(samples, samples), source=0d0)
   allocate (ground(0:deep + 1, 0:deep + 1, 0:deep + 1), source=0d0)
   allocate (later(0:deep + 1, 0:deep + 1, 0:deep + 1), source=0d0)

   tracer(n/4:n/2, n/7:n/2) = 1d0
   ground(:, :, deep + 1) = 1d0
   later(:, :, deep + 1) = 1d0
   call set_vorticity(n, 0d0, vorticity)
   stream = vorticity/(2d0*acos(-1d0)**2)
   call summarise(n, tracer, before, largest)
   trace = 0d0
   do step = 1, steps
      call set_vorticity(n, step*time_step, vorticity)
      call smooth(n, vorticity, smoothed)
      call relax_stream(n, smoothed, stream)
      call find_velocity(n, stream, u, v)
      call advect_x(n, time_step, u, tracer, next)
      call advect_y(n, time_step, v, next, tracer)
      call diffuse_x(n, time_step*diffusion, tracer)
      call diffuse_y(n, time_step*diffusion, tracer)
      call pick_samples(n, samples, tracer, picked, turned)
      call multiply(samples, n, turned, picked, product)
      do i = 1, samples
         trace = trace + product(i, i)/n
      end do
      call conduct(deep, 0.15d0, ground, later)
      call conduct(deep, 0.15d0, later, ground)
   end do
   call summarise(n, tracer, total, largest)
   energy = 0.5d0*(sum(u**2) + sum(v**2))/n**2
   print '(a, i0, a)', 'long_functions: ', steps, ' steps'
   print '(a, f0.9, a, es9.1)', 'tracer: largest ', largest, ', relative change of the mass ', &
      (total - before)/before
   print '(a, f0.9, a, f0.9)', 'energy of the flow ', energy, ', mean trace of the products ', &
      trace/steps
   print '(a, f0.9)', 'heat in the ground ', sum(ground(1:deep, 1:deep, 1:deep))/deep**2
end program long_functions

! The steps to do for the optional argument, at a given number of steps per second.
integer function work_steps(steps_per_second)
   use, intrinsic :: iso_fortran_env, only: error_unit
   implicit none
   real(kind(1d0)), intent(in) :: steps_per_second
   real(kind(1d0)) :: seconds
   character(64) :: argument
   integer :: status, length

   seconds = 1d0
   status = 0
   if (command_argument_count() == 1) then
      call get_command_argument(1, argument, length)
      status = merge(0, 1, length > 0 .and. length < len(argument) .and. &
                     verify(trim(argument), '0123456789.eE+-') == 0)
      if (status == 0) read (argument, *, iostat=status) seconds
   end if
   if (command_argument_count() > 1 .or. status /= 0 .or. .not. (seconds > 0d0 .and. &
                                                                seconds <= 1d6)) then
      write (error_unit, '(a)') 'usage: long_functions [SECONDS]   (work for about so many '// &
         'seconds, more than 0)'
      stop 2, quiet=.true.
   end if
   work_steps = max(1, nint(seconds*steps_per_second))
end function work_steps

! The forcing of the eddies at the corners of the cells: a large eddy and four that come and go.
subroutine set_vorticity(n, time, vorticity)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: time
   real(kind(1d0)), intent(out) :: vorticity(0:n, 0:n)
   real(kind(1d0)) :: one(0:n), two(0:n), pi, strength
   integer :: i, j

   pi = acos(-1d0)
   do i = 0, n
      one(i) = sin(pi*i/n)
      two(i) = sin(2d0*pi*i/n)
   end do
   strength = 0.5d0*sin(20d0*time)
   do j = 0, n
      do i = 0, n
         vorticity(i, j) = 2d0*pi**2*(one(i)*one(j) + strength*two(i)*two(j))
      end do
   end do
end subroutine set_vorticity

! Weighted means over 5 by 5 points.
subroutine smooth(n, from, to)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: from(0:n, 0:n)
   real(kind(1d0)), intent(inout) :: to(0:n, 0:n)
   real(kind(1d0)), parameter :: weight(-2:2) = [1d0, 4d0, 6d0, 4d0, 1d0]/16d0
   real(kind(1d0)) :: total
   integer :: i, j, a, b

   do j = 2, n - 2
      do i = 2, n - 2
         total = 0d0
         do b = -2, 2
            do a = -2, 2
               total = total + weight(a)*weight(b)*from(i + a, j + b)
            end do
         end do
         to(i, j) = total
      end do
   end do
end subroutine smooth

! One sweep of over-relaxation towards the stream function of a vorticity.
subroutine relax_stream(n, vorticity, stream)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: vorticity(0:n, 0:n)
   real(kind(1d0)), intent(inout) :: stream(0:n, 0:n)
   real(kind(1d0)), parameter :: relaxation = 1.7d0
   real(kind(1d0)) :: squared
   integer :: i, j

   squared = 1d0/n**2
   do j = 1, n - 1
      do i = 1, n - 1
         stream(i, j) = (1d0 - relaxation)*stream(i, j) + &
                        0.25d0*relaxation*(squared*vorticity(i, j) + stream(i - 1, j) + &
                                           stream(i + 1, j) + stream(i, j - 1) + stream(i, j + 1))
      end do
   end do
end subroutine relax_stream

! Velocities through the faces of the cells; free of divergence, and zero at the walls.
subroutine find_velocity(n, stream, u, v)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: stream(0:n, 0:n)
   real(kind(1d0)), intent(out) :: u(0:n, n), v(n, 0:n)
   integer :: i, j

   do j = 1, n
      do i = 0, n
         u(i, j) = n*(stream(i, j) - stream(i, j - 1))
      end do
   end do
   do j = 0, n
      do i = 1, n
         v(i, j) = -n*(stream(i, j) - stream(i - 1, j))
      end do
   end do
end subroutine find_velocity

! Advection along x, from upwind, with the slope limited such that it creates no new extremes.
subroutine advect_x(n, time_step, u, from, to)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: time_step, u(0:n, n), from(n, n)
   real(kind(1d0)), intent(out) :: to(n, n)
   real(kind(1d0)) :: flux(0:n), before, after, slope
   integer :: i, j, upwind

   flux = 0d0
   do j = 1, n
      do i = 1, n - 1
         upwind = merge(i, i + 1, u(i, j) > 0d0)
         before = from(upwind, j) - from(max(upwind - 1, 1), j)
         after = from(min(upwind + 1, n), j) - from(upwind, j)
         slope = 0.5d0*(sign(1d0, before) + sign(1d0, after))*min(abs(before), abs(after))
         flux(i) = u(i, j)*(from(upwind, j) + sign(0.5d0, u(i, j))*slope)
      end do
      do i = 1, n
         to(i, j) = from(i, j) - n*time_step*(flux(i) - flux(i - 1))
      end do
   end do
end subroutine advect_x

! The same along y.
subroutine advect_y(n, time_step, v, from, to)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: time_step, v(n, 0:n), from(n, n)
   real(kind(1d0)), intent(out) :: to(n, n)
   real(kind(1d0)) :: flux(n, 0:1), before, after, slope
   integer :: i, j, upwind, here

   flux = 0d0
   do j = 1, n
      here = modulo(j, 2)
      do i = 1, n
         upwind = merge(j, min(j + 1, n), v(i, j) > 0d0)
         before = from(i, upwind) - from(i, max(upwind - 1, 1))
         after = from(i, min(upwind + 1, n)) - from(i, upwind)
         slope = 0.5d0*(sign(1d0, before) + sign(1d0, after))*min(abs(before), abs(after))
         flux(i, here) = v(i, j)*(from(i, upwind) + sign(0.5d0, v(i, j))*slope)
         to(i, j) = from(i, j) - n*time_step*(flux(i, here) - flux(i, 1 - here))
      end do
   end do
end subroutine advect_y

! An implicit step of diffusion along x: a tridiagonal system for each line.
subroutine diffuse_x(n, amount, field)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: amount
   real(kind(1d0)), intent(inout) :: field(n, n)
   real(kind(1d0)) :: inverse(n), c
   integer :: i, j

   c = amount*n**2
   inverse(1) = 1d0/(1d0 + c)
   do i = 2, n
      inverse(i) = 1d0/(1d0 + merge(2d0, 1d0, i < n)*c - c*c*inverse(i - 1))
   end do
   do j = 1, n
      field(1, j) = field(1, j)*inverse(1)
      do i = 2, n
         field(i, j) = (field(i, j) + c*field(i - 1, j))*inverse(i)
      end do
      do i = n - 1, 1, -1
         field(i, j) = field(i, j) + c*inverse(i)*field(i + 1, j)
      end do
   end do
end subroutine diffuse_x

! The same along y, for all lines at once.
subroutine diffuse_y(n, amount, field)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: amount
   real(kind(1d0)), intent(inout) :: field(n, n)
   real(kind(1d0)) :: inverse(n), c
   integer :: i, j

   c = amount*n**2
   inverse(1) = 1d0/(1d0 + c)
   do j = 2, n
      inverse(j) = 1d0/(1d0 + merge(2d0, 1d0, j < n)*c - c*c*inverse(j - 1))
   end do
   do i = 1, n
      field(i, 1) = field(i, 1)*inverse(1)
   end do
   do j = 2, n
      do i = 1, n
         field(i, j) = (field(i, j) + c*field(i, j - 1))*inverse(j)
      end do
   end do
   do j = n - 1, 1, -1
      do i = 1, n
         field(i, j) = field(i, j) + c*inverse(j)*field(i, j + 1)
      end do
   end do
end subroutine diffuse_y

! Picks columns at equal distances, and returns them also as rows.
subroutine pick_samples(n, samples, field, picked, turned)
   implicit none
   integer, intent(in) :: n, samples
   real(kind(1d0)), intent(in) :: field(n, n)
   real(kind(1d0)), intent(out) :: picked(n, samples), turned(samples, n)
   integer :: i, j

   do j = 1, samples
      do i = 1, n
         picked(i, j) = field(i, j*n/samples)
         turned(j, i) = picked(i, j)
      end do
   end do
end subroutine pick_samples

! c = a * b, where a has m rows and k columns, and b has k rows and m columns.
subroutine multiply(m, k, a, b, c)
   implicit none
   integer, intent(in) :: m, k
   real(kind(1d0)), intent(in) :: a(m, k), b(k, m)
   real(kind(1d0)), intent(out) :: c(m, m)
   integer :: i, j, l

   do j = 1, m
      do i = 1, m
         c(i, j) = 0d0
      end do
      do l = 1, k
         do i = 1, m
            c(i, j) = c(i, j) + a(i, l)*b(l, j)
         end do
      end do
   end do
end subroutine multiply

! An explicit step of heat conduction in three dimensions.
subroutine conduct(n, rate, from, to)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: rate, from(0:n + 1, 0:n + 1, 0:n + 1)
   real(kind(1d0)), intent(inout) :: to(0:n + 1, 0:n + 1, 0:n + 1)
   integer :: i, j, k

   do k = 1, n
      do j = 1, n
         do i = 1, n
            to(i, j, k) = (1d0 - 6d0*rate)*from(i, j, k) + &
                          rate*(from(i - 1, j, k) + from(i + 1, j, k) + from(i, j - 1, k) + &
                                from(i, j + 1, k) + from(i, j, k - 1) + from(i, j, k + 1))
         end do
      end do
   end do
end subroutine conduct

subroutine summarise(n, field, total, largest)
   implicit none
   integer, intent(in) :: n
   real(kind(1d0)), intent(in) :: field(n, n)
   real(kind(1d0)), intent(out) :: total, largest

   total = sum(field)
   largest = maxval(field)
end subroutine summarise
