// Names of CUDA calls.
#include <catch2/catch.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "device_record/record_memory.hpp"
#include "gpu/call_names.hpp"
#include "tree/own_record.hpp"

using namespace vftrace;

namespace {

std::vector<std::pair<GpuApi, std::uint32_t>> asked;

const char* name_of(GpuApi api, std::uint32_t callback) {
    asked.emplace_back(api, callback);
    switch (callback) {
    case 211:
        return "cudaLaunchKernel_v7000";
    case 225:
        return "cudaMemcpyAsync_ptsz_v7000";
    case 276:
        return "cuMemcpyHtoD_v2";
    case 404:
        return "cuMemcpyHtoD_v2_ptds";
    case 505:
        return "__cudaLaunchKernel_v13000";
    default:
        return nullptr;
    }
}

// A process that has recorded nothing yet.
struct Process {
    ProcessRecord record{};
    Process() {
        process_record = &record;
        forget_gpu_names();
        forget_gpu_memory();
        asked.clear();
        start_gpu_names(name_of);
    }
    ~Process() { process_record = nullptr; }
};

std::string function(GpuApi api, std::uint32_t callback) {
    return gpu_call_name(api, callback, nullptr)->function;
}

}  // namespace

TEST_CASE("Names of CUDA functions do not include the version") {
    Process process;
    CHECK(function(GpuApi::runtime, 225) == "cudaMemcpyAsync");
    CHECK(function(GpuApi::driver, 276) == "cuMemcpyHtoD_v2");
    CHECK(function(GpuApi::driver, 404) == "cuMemcpyHtoD_v2");
    CHECK(function(GpuApi::runtime, 505) == "cudaLaunchKernel");
    CHECK(function(GpuApi::runtime, 9999) == "unknown CUDA function");
}

TEST_CASE("Names are made once and in order") {
    Process process;
    GpuCallName* copy = gpu_call_name(GpuApi::runtime, 225, nullptr);
    GpuCallName* launch = gpu_call_name(GpuApi::runtime, 211, "step");
    CHECK(gpu_call_name(GpuApi::runtime, 225, nullptr) == copy);
    CHECK(gpu_call_name(GpuApi::runtime, 211, "step") == launch);
    CHECK(gpu_call_name(GpuApi::driver, 225, nullptr) != copy);
    CHECK(gpu_call_name(GpuApi::runtime, 211, nullptr) != launch);
    CHECK(asked.size() == 4);
    REQUIRE(process.record.gpu);
    CHECK(process.record.gpu->names == copy);
    CHECK(copy->next_created == launch);
    CHECK(launch->callback == 211);
    CHECK(std::string(launch->kernel) == "step");
}

TEST_CASE("A kernel is identified by its name, not by the name's address") {
    Process process;
    char first[8] = "step", second[8] = "step";
    GpuCallName* step = gpu_call_name(GpuApi::runtime, 211, first);
    CHECK(gpu_call_name(GpuApi::runtime, 211, second) == step);
    // Another module is where the first one was.
    std::strcpy(first, "other");
    GpuCallName* other = gpu_call_name(GpuApi::runtime, 211, first);
    CHECK(other != step);
    CHECK(std::string(step->kernel) == "step");
    CHECK(std::string(other->kernel) == "other");
    std::strcpy(first, "step");
    CHECK(gpu_call_name(GpuApi::runtime, 211, first) == step);
    CHECK(kept_kernel_name(second) == step->kernel);
    CHECK(kept_kernel_name(first) == step->kernel);
}

TEST_CASE("A kernel with an empty name is still a kernel") {
    Process process;
    GpuCallName* empty = gpu_call_name(GpuApi::runtime, 211, "");
    CHECK(empty != gpu_call_name(GpuApi::runtime, 211, nullptr));
    CHECK(gpu_call_name(GpuApi::runtime, 211, std::string().c_str()) == empty);
}

TEST_CASE("Thousands of kernels") {
    Process process;
    std::vector<std::string> names;
    for (int i = 0; i < 5000; i++)
        names.push_back("_Z6kernelILi" + std::to_string(i) + "EEvPf" + std::string(i % 300, 'x'));
    std::vector<GpuCallName*> made;
    for (const std::string& name : names)
        made.push_back(gpu_call_name(GpuApi::runtime, 211, name.c_str()));
    for (std::size_t i = 0; i < names.size(); i++) {
        const std::string copy = names[i];
        REQUIRE(gpu_call_name(GpuApi::runtime, 211, names[i].c_str()) == made[i]);
        REQUIRE(gpu_call_name(GpuApi::runtime, 211, copy.c_str()) == made[i]);
        REQUIRE(made[i]->kernel == names[i]);
    }
    CHECK(asked.size() == names.size());
}

TEST_CASE("A child of fork begins anew") {
    Process process;
    GpuCallName* parents = gpu_call_name(GpuApi::runtime, 211, "step");
    Process child;
    GpuCallName* own = gpu_call_name(GpuApi::runtime, 211, "step");
    CHECK(own != parents);
    CHECK(child.record.gpu->names == own);
    CHECK(own->next_created == nullptr);
}
