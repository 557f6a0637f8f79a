! The numerical kernel in Fortran. See kernel.hpp for the method and what the routines do; kernel.cpp
! is the same in C++. It does not use the Fortran run-time library.
module shallow_water_kernel
   use, intrinsic :: iso_c_binding, only: c_int, c_double
   implicit none
   private

   public :: sw_max_wave_rate, sw_sweep_x, sw_sweep_y

   integer, parameter :: dp = c_double
   real(dp), parameter :: gravity = 9.81_dp
   real(dp), parameter :: dry_depth = 1e-10_dp

contains

   pure function sw_max_wave_rate(nx, ny, dx, dy, h, hu, hv) result(rate) &
      bind(c, name="sw_max_wave_rate")
      integer(c_int), value :: nx, ny
      real(dp), value :: dx, dy
      real(dp), intent(in) :: h(0:nx + 1, 0:ny + 1), hu(0:nx + 1, 0:ny + 1), hv(0:nx + 1, 0:ny + 1)
      real(dp) :: rate, c
      integer :: i, j

      rate = 0.0_dp
      do j = 1, ny
         do i = 1, nx
            if (h(i, j) > dry_depth) then
               c = sqrt(gravity*h(i, j))
               rate = max(rate, (abs(hu(i, j))/h(i, j) + c)/dx + (abs(hv(i, j))/h(i, j) + c)/dy)
            end if
         end do
      end do
   end function sw_max_wave_rate

   subroutine sw_sweep_x(nx, ny, dt_dx, h, hu, hv, bed, h_new, hu_new, hv_new) &
      bind(c, name="sw_sweep_x")
      integer(c_int), value :: nx, ny
      real(dp), value :: dt_dx
      real(dp), dimension(0:nx + 1, 0:ny + 1), intent(in) :: h, hu, hv, bed
      real(dp), dimension(0:nx + 1, 0:ny + 1), intent(inout) :: h_new, hu_new, hv_new
      real(dp), dimension(0:nx) :: mass, left, right, cross  ! face i lies between i and i + 1
      integer :: i, j

      do j = 1, ny
         call hll_fluxes(nx + 1, h(0, j), hu(0, j), hv(0, j), bed(0, j), &
                         h(1, j), hu(1, j), hv(1, j), bed(1, j), mass, left, right, cross)
         do i = 1, nx
            h_new(i, j) = h_new(i, j) + dt_dx*(mass(i - 1) - mass(i))
            hu_new(i, j) = hu_new(i, j) + dt_dx*(right(i - 1) - left(i))
            hv_new(i, j) = hv_new(i, j) + dt_dx*(cross(i - 1) - cross(i))
         end do
      end do
   end subroutine sw_sweep_x

   subroutine sw_sweep_y(nx, ny, dt_dy, h, hu, hv, bed, h_new, hu_new, hv_new) &
      bind(c, name="sw_sweep_y")
      integer(c_int), value :: nx, ny
      real(dp), value :: dt_dy
      real(dp), dimension(0:nx + 1, 0:ny + 1), intent(in) :: h, hu, hv, bed
      real(dp), dimension(0:nx + 1, 0:ny + 1), intent(inout) :: h_new, hu_new, hv_new
      real(dp), dimension(nx) :: mass, left, right, cross
      integer :: i, j

      do j = 0, ny  ! the faces between rows j and j + 1
         call hll_fluxes(nx, h(1, j), hv(1, j), hu(1, j), bed(1, j), &
                         h(1, j + 1), hv(1, j + 1), hu(1, j + 1), bed(1, j + 1), &
                         mass, left, right, cross)
         do i = 1, nx
            h_new(i, j) = h_new(i, j) - dt_dy*mass(i)
            hv_new(i, j) = hv_new(i, j) - dt_dy*left(i)
            hu_new(i, j) = hu_new(i, j) - dt_dy*cross(i)
            h_new(i, j + 1) = h_new(i, j + 1) + dt_dy*mass(i)
            hv_new(i, j + 1) = hv_new(i, j + 1) + dt_dy*right(i)
            hu_new(i, j + 1) = hu_new(i, j + 1) + dt_dy*cross(i)
         end do
      end do
   end subroutine sw_sweep_y

   ! The fluxes through n faces, from the depths h, the momenta across (q) and along (r) the face,
   ! and the beds b on their left (1) and right (2) side. mass and cross are the same seen from both
   ! sides; the flux of q includes the pressure of a step of the bed and so differs: left is what
   ! leaves the left cell, right what enters the right one.
   pure subroutine hll_fluxes(n, h1, q1, r1, b1, h2, q2, r2, b2, mass, left, right, cross)
      integer, intent(in) :: n
      real(dp), dimension(n), intent(in) :: h1, q1, r1, b1, h2, q2, r2, b2
      real(dp), dimension(n), intent(out) :: mass, left, right, cross
      real(dp) :: step, d1, d2, u1, u2, v1, v2, c1, c2, s1, s2, momentum
      integer :: i

      do i = 1, n
         u1 = 0.0_dp
         v1 = 0.0_dp
         u2 = 0.0_dp
         v2 = 0.0_dp
         if (h1(i) > dry_depth) then
            u1 = q1(i)/h1(i)
            v1 = r1(i)/h1(i)
         end if
         if (h2(i) > dry_depth) then
            u2 = q2(i)/h2(i)
            v2 = r2(i)/h2(i)
         end if
         step = max(b1(i), b2(i))
         d1 = max(0.0_dp, h1(i) + b1(i) - step)
         d2 = max(0.0_dp, h2(i) + b2(i) - step)
         c1 = sqrt(gravity*d1)
         c2 = sqrt(gravity*d2)
         s1 = min(0.0_dp, u1 - c1, u2 - c2)
         s2 = max(0.0_dp, u1 + c1, u2 + c2)
         mass(i) = 0.0_dp
         momentum = 0.0_dp
         cross(i) = 0.0_dp
         if (s2 > s1) then
            mass(i) = (s2*d1*u1 - s1*d2*u2 + s1*s2*(d2 - d1))/(s2 - s1)
            momentum = (s2*(d1*u1*u1 + 0.5_dp*gravity*d1*d1) &
                        - s1*(d2*u2*u2 + 0.5_dp*gravity*d2*d2) &
                        + s1*s2*(d2*u2 - d1*u1))/(s2 - s1)
            if (mass(i) > 0.0_dp) then
               cross(i) = mass(i)*v1
            else
               cross(i) = mass(i)*v2
            end if
         end if
         left(i) = momentum + 0.5_dp*gravity*(h1(i)*h1(i) - d1*d1)
         right(i) = momentum + 0.5_dp*gravity*(h2(i)*h2(i) - d2*d2)
      end do
   end subroutine hll_fluxes
end module shallow_water_kernel
