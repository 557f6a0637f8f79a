// The numerical kernel: everything that is done for each cell in each time step. There are two
// implementations with the same results, kernel.f90 and kernel.cpp; one is linked.
//
// First-order finite volumes with the HLL approximate Riemann solver (A. Harten, P. Lax, B. van
// Leer, SIAM Review 25, 1983; wave speeds after B. Einfeldt, SIAM J. Numer. Anal. 25, 1988) and the
// hydrostatic reconstruction of the bed (E. Audusse et al., SIAM J. Sci. Comput. 25, 2004), which
// keeps a lake at rest at rest, whatever its bed, and depths from becoming negative.
//
// All arrays have the layout of Field<double>: (nx + 2) x (ny + 2) values, x fastest.
#pragma once

extern "C" {

// Returns the largest value of (|u| + c) / dx + (|v| + c) / dy in the interior, where c is the
// speed of gravity waves: the reciprocal of the longest stable time step.
double sw_max_wave_rate(int nx, int ny, double dx, double dy, const double* h, const double* hu,
                        const double* hv);

// Adds to the interior of h_new, hu_new and hv_new what flows through the faces of the cells in the
// x direction in a time step; dt_dx is its length divided by the cell width. h, hu, hv and the
// height of the bed are read, including their halo.
void sw_sweep_x(int nx, int ny, double dt_dx, const double* h, const double* hu, const double* hv,
                const double* bed, double* h_new, double* hu_new, double* hv_new);

// The same for the faces in the y direction.
void sw_sweep_y(int nx, int ny, double dt_dy, const double* h, const double* hu, const double* hv,
                const double* bed, double* h_new, double* hu_new, double* hv_new);
}

namespace shallow_water {
constexpr double gravity = 9.81;     // m/s^2; the kernels have the same value
constexpr double dry_depth = 1e-10;  // m; shallower water does not move
}  // namespace shallow_water
