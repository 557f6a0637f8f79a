// The numerical kernel in C++, for machines without a Fortran compiler. See kernel.hpp for the
// method and what the functions do; kernel.f90 is the same in Fortran.
#include "kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

using shallow_water::dry_depth;
using shallow_water::gravity;

// One side of a row of faces: depth, momentum across and along the face, height of the bed.
struct Side {
    const double* h;
    const double* q;
    const double* r;
    const double* bed;
};

// The fluxes through a row of faces. Mass and cross momentum are the same seen from both sides; the
// momentum across includes the pressure of a step of the bed and so differs: left is what leaves
// the left cell, right what enters the right one.
struct Fluxes {
    explicit Fluxes(std::size_t faces) : mass(faces), left(faces), right(faces), cross(faces) {}

    std::vector<double> mass;
    std::vector<double> left;
    std::vector<double> right;
    std::vector<double> cross;
};

void hll_fluxes(const Side& a, const Side& b, Fluxes& flux) {
    for (std::size_t i = 0; i < flux.mass.size(); i++) {
        const double h1 = a.h[i];
        const double h2 = b.h[i];
        const double u1 = h1 > dry_depth ? a.q[i] / h1 : 0.0;
        const double v1 = h1 > dry_depth ? a.r[i] / h1 : 0.0;
        const double u2 = h2 > dry_depth ? b.q[i] / h2 : 0.0;
        const double v2 = h2 > dry_depth ? b.r[i] / h2 : 0.0;
        const double step = std::max(a.bed[i], b.bed[i]);
        const double d1 = std::max(0.0, h1 + a.bed[i] - step);
        const double d2 = std::max(0.0, h2 + b.bed[i] - step);
        const double c1 = std::sqrt(gravity * d1);
        const double c2 = std::sqrt(gravity * d2);
        const double s1 = std::min({0.0, u1 - c1, u2 - c2});
        const double s2 = std::max({0.0, u1 + c1, u2 + c2});
        double mass = 0.0;
        double momentum = 0.0;
        double cross = 0.0;
        if (s2 > s1) {
            mass = (s2 * d1 * u1 - s1 * d2 * u2 + s1 * s2 * (d2 - d1)) / (s2 - s1);
            momentum =
                (s2 * (d1 * u1 * u1 + 0.5 * gravity * d1 * d1) -
                 s1 * (d2 * u2 * u2 + 0.5 * gravity * d2 * d2) + s1 * s2 * (d2 * u2 - d1 * u1)) /
                (s2 - s1);
            cross = mass * (mass > 0.0 ? v1 : v2);
        }
        flux.mass[i] = mass;
        flux.left[i] = momentum + 0.5 * gravity * (h1 * h1 - d1 * d1);
        flux.right[i] = momentum + 0.5 * gravity * (h2 * h2 - d2 * d2);
        flux.cross[i] = cross;
    }
}

}  // namespace

double sw_max_wave_rate(int nx, int ny, double dx, double dy, const double* h, const double* hu,
                        const double* hv) {
    const std::ptrdiff_t width = nx + 2;
    double rate = 0.0;
    for (int j = 1; j <= ny; j++) {
        for (std::ptrdiff_t k = j * width + 1; k <= j * width + nx; k++) {
            if (h[k] > dry_depth) {
                const double c = std::sqrt(gravity * h[k]);
                rate = std::max(rate, (std::abs(hu[k]) / h[k] + c) / dx +
                                          (std::abs(hv[k]) / h[k] + c) / dy);
            }
        }
    }
    return rate;
}

void sw_sweep_x(int nx, int ny, double dt_dx, const double* h, const double* hu, const double* hv,
                const double* bed, double* h_new, double* hu_new, double* hv_new) {
    const std::ptrdiff_t width = nx + 2;
    const std::size_t cells = static_cast<std::size_t>(nx);
    Fluxes flux(cells + 1);  // face i lies between cells i and i + 1
    for (int j = 1; j <= ny; j++) {
        const std::ptrdiff_t row = j * width;
        hll_fluxes({h + row, hu + row, hv + row, bed + row},
                   {h + row + 1, hu + row + 1, hv + row + 1, bed + row + 1}, flux);
        double* const h_row = h_new + row + 1;
        double* const hu_row = hu_new + row + 1;
        double* const hv_row = hv_new + row + 1;
        for (std::size_t i = 0; i < cells; i++) {
            h_row[i] += dt_dx * (flux.mass[i] - flux.mass[i + 1]);
            hu_row[i] += dt_dx * (flux.right[i] - flux.left[i + 1]);
            hv_row[i] += dt_dx * (flux.cross[i] - flux.cross[i + 1]);
        }
    }
}

void sw_sweep_y(int nx, int ny, double dt_dy, const double* h, const double* hu, const double* hv,
                const double* bed, double* h_new, double* hu_new, double* hv_new) {
    const std::ptrdiff_t width = nx + 2;
    const std::size_t cells = static_cast<std::size_t>(nx);
    Fluxes flux(cells);
    for (int j = 0; j <= ny; j++) {  // the faces between rows j and j + 1
        const std::ptrdiff_t below = j * width + 1;
        const std::ptrdiff_t above = below + width;
        hll_fluxes({h + below, hv + below, hu + below, bed + below},
                   {h + above, hv + above, hu + above, bed + above}, flux);
        for (std::size_t i = 0; i < cells; i++) {
            h_new[below + static_cast<std::ptrdiff_t>(i)] -= dt_dy * flux.mass[i];
            hv_new[below + static_cast<std::ptrdiff_t>(i)] -= dt_dy * flux.left[i];
            hu_new[below + static_cast<std::ptrdiff_t>(i)] -= dt_dy * flux.cross[i];
            h_new[above + static_cast<std::ptrdiff_t>(i)] += dt_dy * flux.mass[i];
            hv_new[above + static_cast<std::ptrdiff_t>(i)] += dt_dy * flux.right[i];
            hu_new[above + static_cast<std::ptrdiff_t>(i)] += dt_dy * flux.cross[i];
        }
    }
}
