// Kokkos itself: labelled kernels and one without a label, a region, a copy, a section.
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ProfileSection.hpp>
#include <cstdio>
int main(int argc, char** argv) {
    Kokkos::initialize(argc, argv);
    {
        Kokkos::View<double*> x("x", 100000), y("y", 100000);
        Kokkos::Profiling::pushRegion("solve");
        for (int i = 0; i < 4; i++)
            Kokkos::parallel_for(
                "axpy", 100000, KOKKOS_LAMBDA(int j) { y(j) += 2 * x(j); });
        double s = 0;
        Kokkos::parallel_reduce(
            "dot", 100000, KOKKOS_LAMBDA(int j, double& t) { t += y(j) * x(j); }, s);
        Kokkos::parallel_for(
            100000, KOKKOS_LAMBDA(int j) { y(j) = j; });
        Kokkos::deep_copy(x, y);
        Kokkos::Profiling::ProfilingSection section("assembly");
        section.start();
        section.stop();
        Kokkos::Profiling::popRegion();
        Kokkos::fence();
        std::printf("%g\n", s);
    }
    Kokkos::finalize();
}
