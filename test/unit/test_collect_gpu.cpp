// CUDA calls and GPU records in the profile of a process.
#include "collate/gpu_figures.hpp"

#include <deque>
#include <limits>

#include "collected_profile.hpp"
#include "record/gpu_record.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

// A process whose main calls CUDA.
struct GpuProcess {
    GpuProcess()
        : thread(process.add_thread()), main(&thread.region(thread.root(), "main", 1, 9'000)) {
        process.record.gpu = &record;
    }

    GpuCallName& name(GpuApi api, std::uint32_t callback, const char* function,
                      const char* kernel = nullptr) {
        return append(record.names, names, {api, callback, function, kernel, nullptr});
    }
    Node& call(GpuCallName& name, std::uint64_t calls, std::uint64_t ticks,
               Node* parent = nullptr) {
        return thread.add(parent ? parent : main, NodeKind::gpu,
                          reinterpret_cast<std::uintptr_t>(&name), calls, ticks);
    }
    GpuPathWork& work(const Node* node, const char* kernel, GpuWork kind, std::uint64_t count,
                      std::uint64_t ns, std::uint64_t bytes = 0) {
        return append(record.work, works,
                      {node, kernel, 0, kind, count, ns, ns / 2, ns, bytes, count, 5, nullptr});
    }
    GpuStream& stream(GpuStream figures) { return append(record.streams, streams, figures); }
    GpuDevice& device(GpuDevice figures) { return append(record.devices, devices, figures); }

    ProcessBuilder process;
    GpuRecord record{};
    ThreadBuilder& thread;
    Node* main;

  private:
    template <class Element>
    static Element& append(Element*& first, std::deque<Element>& all, const Element& element) {
        all.push_back(element);
        (all.size() == 1 ? first : all[all.size() - 2].next_created) = &all.back();
        return all.back();
    }

    std::deque<GpuCallName> names;
    std::deque<GpuPathWork> works;
    std::deque<GpuStream> streams;
    std::deque<GpuDevice> devices;
};

const PathGpuWork& only_work(const Profile& profile) {
    REQUIRE(profile.gpu_work.size() == 1);
    return profile.gpu_work[0];
}

}  // namespace

TEST_CASE("a launch has the path of its kernel, other calls have that of their function") {
    GpuProcess gpu;
    GpuCallName& launch = gpu.name(GpuApi::runtime, 211, "cudaLaunchKernel", "_Z5saxpyfPKfPf");
    GpuCallName& copy = gpu.name(GpuApi::runtime, 31, "cudaMemcpy");
    const Node& launched = gpu.call(launch, 10, 100);
    const Node& copied = gpu.call(copy, 2, 50);
    gpu.work(&launched, "_Z5saxpyfPKfPf", GpuWork::kernel, 10, 4'000);
    gpu.work(&copied, nullptr, GpuWork::host_to_device, 2, 700, 8192);
    const Profile profile = collected(gpu.process);
    check_path(profile, "_Z5saxpyfPKfPf<main<init", 10, 100, 100);
    check_path(profile, "cudaMemcpy<main<init", 2, 50, 50);
    REQUIRE(profile.gpu_work.size() == 2);
    const PathGpuWork& kernel = profile.gpu_work[0];
    CHECK(kernel.function == profile.paths[kernel.path].function);
    const Function& function = profile.functions[kernel.function];
    CHECK(function.kind == NodeKind::gpu);
    CHECK(function.symbol == "_Z5saxpyfPKfPf");
    CHECK(function.demangled == "saxpy(float, float const*, float*)");
    CHECK(function.offset == gpu_call_id(GpuApi::runtime, 211));
    CHECK(kernel.count == 10);
    CHECK(kernel.ns == 4'000);
    CHECK(kernel.shortest_ns == 2'000);
    CHECK(kernel.longest_ns == 4'000);
    CHECK(kernel.timely == 10);
    CHECK(kernel.waited_ns == 5);
    CHECK(profile.gpu_work[1].function == no_index);
    CHECK(profile.gpu_work[1].work == GpuWork::host_to_device);
    CHECK(profile.gpu_work[1].bytes == 8192);
    REQUIRE(profile.gpu_functions.size() == 2);
    CHECK(profile.gpu_functions[0].name == "cudaMemcpy");
    CHECK(profile.gpu_functions[1].name == "cudaLaunchKernel");
    CHECK(profile.gpu_functions[1].id == gpu_call_id(GpuApi::runtime, 211));
}

TEST_CASE("the path numbers of kernels are made from their symbols") {
    GpuProcess gpu;
    gpu.call(gpu.name(GpuApi::runtime, 211, "cudaLaunchKernel", "_Z4workv_"), 1, 1);
    const Profile profile = collected(gpu.process);
    CHECK(path_named(profile, "_Z4workv_<main<init").calls == 1);
}

TEST_CASE("names that mean the same are one function, those of different APIs are not") {
    GpuProcess gpu;
    gpu.call(gpu.name(GpuApi::runtime, 211, "cudaLaunchKernel", "kernel"), 1, 10);
    gpu.call(gpu.name(GpuApi::runtime, 211, "cudaLaunchKernel", "kernel"), 2, 20);
    gpu.call(gpu.name(GpuApi::driver, 211, "cuSomething", "kernel"), 4, 40);
    const Profile profile = collected(gpu.process);
    REQUIRE(profile.paths.size() == 4);
    CHECK(profile.paths[2].calls == 3);
    CHECK(profile.paths[3].calls == 4);
    CHECK(profile.gpu_functions.size() == 2);
}

TEST_CASE("the kernels of a graph are functions without a call of their own") {
    GpuProcess gpu;
    const Node& graph = gpu.call(gpu.name(GpuApi::runtime, 262, "cudaGraphLaunch"), 1, 10);
    gpu.work(&graph, "_Z3onev", GpuWork::kernel, 3, 30);
    gpu.work(&graph, "_Z3twov", GpuWork::kernel, 4, 40);
    gpu.work(&graph, "_Z3onev", GpuWork::kernel, 5, 10).device = 1;  // both GPUs together
    const Profile profile = collected(gpu.process);
    REQUIRE(profile.gpu_work.size() == 2);
    const Function& one = profile.functions[profile.gpu_work[0].function];
    CHECK(one.symbol == "_Z3onev");
    CHECK(one.demangled == "one()");
    CHECK(one.offset == 0);
    CHECK(profile.gpu_work[0].count == 8);
    CHECK(profile.gpu_work[0].ns == 40);
    CHECK(profile.gpu_work[0].shortest_ns == 5);
    CHECK(profile.gpu_work[0].longest_ns == 30);
    CHECK(profile.functions[profile.gpu_work[1].function].symbol == "_Z3twov");
    CHECK(path_name(profile, profile.gpu_work[0].path) == "cudaGraphLaunch<main<init");
}

TEST_CASE("work whose call is unknown belongs to the root and is reported") {
    GpuProcess gpu;
    Node stray{};
    gpu.work(nullptr, "_Z4workv", GpuWork::kernel, 2, 20);
    gpu.work(&stray, "_Z4workv", GpuWork::kernel, 3, 30);
    gpu.record.unmatched = 5;
    gpu.record.dropped = 7;
    gpu.record.unfinished = 2;
    const Profile profile = collected(gpu.process);
    CHECK(only_work(profile).path == 0);
    CHECK(only_work(profile).count == 5);
    const std::vector<Notice>& notices = profile.run.notices;
    REQUIRE(notices.size() == 3);
    CHECK((notices[0].code == NoticeCode::gpu_work_dropped && notices[0].arguments[0] == 7));
    CHECK((notices[1].code == NoticeCode::gpu_work_unfinished && notices[1].arguments[0] == 2));
    CHECK((notices[2].code == NoticeCode::gpu_work_unmatched && notices[2].arguments[0] == 5));
}

TEST_CASE("calls and work below a filtered function are its caller's") {
    GpuProcess gpu;
    gpu.process.load_module();
    UnwantedFunction unwanted{0x401000, 0, 0, Unwanted::over_budget, HooksLeft::none};
    gpu.process.record.unwanted = {&unwanted, 1, 1};
    Node& small = gpu.thread.add(gpu.main, NodeKind::function, 0x401000, 5, 500);
    small.module = 0;
    const Node& launch =
        gpu.call(gpu.name(GpuApi::runtime, 211, "cudaLaunchKernel", "kernel"), 5, 50, &small);
    gpu.work(&launch, "kernel", GpuWork::kernel, 5, 100);
    const Profile profile = collected(gpu.process);
    REQUIRE(profile.filtered.size() == 1);
    CHECK(path_name(profile, only_work(profile).path) == "kernel<main<init");
    CHECK(only_work(profile).function == profile.paths[only_work(profile).path].function);
}

TEST_CASE("streams and devices") {
    GpuProcess gpu;
    gpu.process.record.rank = 3;
    gpu.stream({1, 2, 13, 10, 100, 20, 200, 4096, 1'000, 5'000, nullptr});
    gpu.stream({0, 1, 7, 1, 2, 3, 4, 5, 10, 9, nullptr});  // ended before it began
    gpu.device({1, "NVIDIA H200", 100, 200, 50, 1'000, 5'000, nullptr});
    gpu.device({0, "", 0, 0, 0, 0, 0, nullptr});
    const Profile profile = collected(gpu.process);
    REQUIRE(profile.gpu_streams.size() == 2);
    CHECK(profile.gpu_streams[0].stream == 7);
    CHECK(profile.gpu_streams[0].span_ns == 0);
    CHECK(profile.gpu_streams[1].context == 2);
    CHECK(profile.gpu_streams[1].kernels == 10);
    CHECK(profile.gpu_streams[1].kernel_ns == 100);
    CHECK(profile.gpu_streams[1].copies == 20);
    CHECK(profile.gpu_streams[1].copy_ns == 200);
    CHECK(profile.gpu_streams[1].bytes == 4096);
    CHECK(profile.gpu_streams[1].span_ns == 4'000);
    REQUIRE(profile.gpu_devices.size() == 2);
    CHECK(profile.gpu_devices[1].name == "NVIDIA H200");
    CHECK(profile.gpu_devices[1].overlap_ns == 50);
    CHECK(profile.gpu_devices[1].span_ns == 4'000);
}

TEST_CASE("the cost of callbacks is reported if there are GPUs") {
    GpuProcess gpu;
    gpu.record.callback_ticks = 1'234;
    Profile profile = collected(gpu.process);
    REQUIRE(profile.run.overhead.size() == 2);
    CHECK(profile.run.overhead[1].kind == OverheadKind::cuda_callbacks);
    CHECK(profile.run.overhead[1].ns == 1'234);
    gpu.process.record.gpu = nullptr;
    profile = collected(gpu.process);
    CHECK(profile.run.overhead.size() == 1);
    CHECK(profile.gpu_functions.empty());
}

TEST_CASE("numbers of a damaged record do no harm") {
    GpuProcess gpu;
    const Node& call = gpu.call(gpu.name(GpuApi{77}, 0xffffffff, "cudaMemcpy"), most, most);
    for (int i = 0; i < 3; i++)
        gpu.work(&call, nullptr, GpuWork::memset, most, most, most).waited_ns = most;
    gpu.work(&call, nullptr, GpuWork{200}, 1, 1);
    gpu.work(&call, nullptr, GpuWork::kernel, 0, 1);
    for (int i = 0; i < 3; i++) {
        gpu.stream({0, 0, 0, most, most, most, most, most, 0, most, nullptr});
        gpu.device({0, "x", most, most, most, 0, most, nullptr});
    }
    gpu.record.callback_ticks = most;
    const Profile profile = collected(gpu.process);
    CHECK(only_work(profile).count == most);
    CHECK(only_work(profile).ns > 0);
    CHECK(profile.gpu_streams.size() == 1);
    CHECK(profile.gpu_devices.size() == 1);
}
