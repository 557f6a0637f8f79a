// The profile of a program with two GPUs: kernels that are launched by name and by a graph, copies
// in all directions, and calls that do not start device work.
#pragma once

#include "profile/display_names.hpp"
#include "profile/profile.hpp"
#include "sample_profile.hpp"

namespace vftrace::test {

inline Profile gpu_sample_profile() {
    constexpr std::int64_t ms = 1'000'000, us = 1'000;
    Profile profile;
    profile.run = sample_profile().run;
    profile.run.runtime_ns = 3'000 * ms;
    profile.run.visible_gpus = "0,3";
    profile.run.overhead.push_back({OverheadKind::cuda_callbacks, 7 * ms});
    auto function = [&](const char* name, NodeKind kind, std::uint64_t offset = 0,
                        const char* demangled = "") {
        Function f;
        f.name = name;
        f.symbol = kind == NodeKind::root ? "" : name;
        f.demangled = demangled;
        f.kind = kind;
        f.offset = offset;
        profile.functions.push_back(f);
    };
    auto runtime = [](std::uint32_t number) { return gpu_call_id(GpuApi::runtime, number); };
    function("init", NodeKind::root);
    function("main", NodeKind::function);
    function("step", NodeKind::function);
    function("_Z5saxpyIfEviT_PKS0_PS0_", NodeKind::gpu, runtime(211),
             "void saxpy<float>(int, float, float const*, float*)");
    function("_ZN4grid7stencilE", NodeKind::gpu, gpu_call_id(GpuApi::driver, 307),
             "void grid::stencil<std::tuple<double, double, double>, grid::boundary<"
             "grid::periodic, grid::reflecting>, 128>(grid::field<double>*, int)");
    function("cudaMemcpy", NodeKind::gpu, runtime(31));
    function("cudaMalloc", NodeKind::gpu, runtime(20));
    function("cudaDeviceSynchronize", NodeKind::gpu, runtime(165));
    function("cudaGraphLaunch", NodeKind::gpu, runtime(262));
    function("_Z6reducePfi", NodeKind::gpu, 0, "reduce(float*, int)");
    set_display_names(profile.functions, CxxNames::full, false);

    auto path = [&](std::uint32_t parent, std::uint32_t function, std::uint32_t stid,
                    std::uint64_t calls, std::int64_t exclusive, std::int64_t inclusive) {
        add_path(profile, parent, function, stid, calls, exclusive, inclusive);
    };
    path(no_index, 0, 8, 0, 0, 0);
    path(0, 1, 3, 1, 400 * ms, 3'000 * ms);
    path(1, 6, 0, 4, 90 * ms, 90 * ms);          // cudaMalloc
    path(1, 2, 5, 100, 600 * ms, 2'510 * ms);    // step
    path(3, 5, 1, 300, 310 * ms, 310 * ms);      // cudaMemcpy
    path(3, 3, 7, 1'000, 100 * ms, 100 * ms);    // saxpy
    path(3, 4, 2, 100, 50 * ms, 50 * ms);        // stencil
    path(3, 7, 4, 100, 1'400 * ms, 1'400 * ms);  // cudaDeviceSynchronize
    path(1, 8, 6, 10, 50 * ms, 50 * ms);         // cudaGraphLaunch

    auto work = [&](std::uint32_t path, std::uint32_t function, GpuWork kind, std::uint64_t count,
                    std::int64_t ns, std::int64_t shortest, std::int64_t longest,
                    std::uint64_t bytes, std::uint64_t timely, std::int64_t waited) {
        profile.gpu_work.push_back(
            {path, function, kind, count, ns, shortest, longest, bytes, timely, waited});
    };
    work(0, no_index, GpuWork::migrated_to_device, 3, 2 * ms, 500 * us, us, 196'608, 0, 0);
    work(4, no_index, GpuWork::host_to_device, 100, 80 * ms, 700 * us, 900 * us, 2'000'000'000, 100,
         3 * ms);
    work(4, no_index, GpuWork::device_to_host, 100, 100 * ms, 900 * us, 1'100 * us, 2'000'000'000,
         100, 400 * ms);
    work(4, no_index, GpuWork::device_to_device, 100, 2 * ms, 20 * us, 21 * us, 2'000'000'000, 0,
         0);
    work(5, 3, GpuWork::kernel, 1'000, 900 * ms, 850 * us, 1'200 * us, 0, 1'000, 5 * ms);
    work(6, 4, GpuWork::kernel, 100, 450 * ms, 4 * ms, 5 * ms, 0, 99, 990 * us);
    work(8, 9, GpuWork::kernel, 40, 20 * ms, 490 * us, 510 * us, 0, 40, 80 * us);
    work(8, no_index, GpuWork::memset, 10, 15 * us, us, 2 * us, 40'960, 10, 100 * us);

    auto gpu_function = [&](std::uint64_t id, const char* name) {
        profile.gpu_functions.push_back({id, name});
    };
    gpu_function(gpu_call_id(GpuApi::driver, 307), "cuLaunchKernel");
    gpu_function(runtime(20), "cudaMalloc");
    gpu_function(runtime(31), "cudaMemcpy");
    gpu_function(runtime(33), "cudaMemcpy2D");  // never called
    gpu_function(runtime(165), "cudaDeviceSynchronize");
    gpu_function(runtime(211), "cudaLaunchKernel");
    gpu_function(runtime(262), "cudaGraphLaunch");
    profile.gpu_streams = {{0, 0, 1, 7, 1'000, 200, 6'000'000'000, 900 * ms, 182 * ms, 2'400 * ms},
                           {0, 0, 1, 13, 40, 113, 237'568, 20 * ms, 2 * ms, 500 * ms},
                           {0, 1, 2, 7, 100, 0, 0, 450 * ms, 0, 1'000 * ms}};
    profile.gpu_devices = {{0, 0, "NVIDIA H200", 910 * ms, 184 * ms, 100 * ms, 2'400 * ms},
                           {0, 1, "NVIDIA H200", 450 * ms, 0, 0, 1'000 * ms}};
    return profile;
}

}  // namespace vftrace::test
