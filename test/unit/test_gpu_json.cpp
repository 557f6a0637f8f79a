// GPUs in the JSON file of a profile: exact round trip, and wrong files.
#include <catch2/catch.hpp>

#include <limits>

#include "gpu_sample_profile.hpp"
#include "json_errors.hpp"
#include "profile/profile_json.hpp"
#include "readers/profile_json_reader.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

void check_equal(const PathGpuWork& a, const PathGpuWork& b) {
    CHECK(a.path == b.path);
    CHECK(a.function == b.function);
    CHECK(a.work == b.work);
    CHECK(a.count == b.count);
    CHECK(a.ns == b.ns);
    CHECK(a.shortest_ns == b.shortest_ns);
    CHECK(a.longest_ns == b.longest_ns);
    CHECK(a.bytes == b.bytes);
    CHECK(a.timely == b.timely);
    CHECK(a.waited_ns == b.waited_ns);
    CHECK(a.by_rank.ranks == b.by_rank.ranks);
    CHECK(a.by_rank.fewest == b.by_rank.fewest);
    CHECK(a.by_rank.most == b.by_rank.most);
}

void check_equal(const GpuFunction& a, const GpuFunction& b) {
    CHECK(a.id == b.id);
    CHECK(a.name == b.name);
}

void check_equal(const GpuStreamFigures& a, const GpuStreamFigures& b) {
    CHECK(a.rank == b.rank);
    CHECK(a.device == b.device);
    CHECK(a.context == b.context);
    CHECK(a.stream == b.stream);
    CHECK(a.kernels == b.kernels);
    CHECK(a.copies == b.copies);
    CHECK(a.bytes == b.bytes);
    CHECK(a.kernel_ns == b.kernel_ns);
    CHECK(a.copy_ns == b.copy_ns);
    CHECK(a.span_ns == b.span_ns);
}

void check_equal(const GpuDeviceFigures& a, const GpuDeviceFigures& b) {
    CHECK(a.rank == b.rank);
    CHECK(a.number == b.number);
    CHECK(a.name == b.name);
    CHECK(a.kernel_ns == b.kernel_ns);
    CHECK(a.copy_ns == b.copy_ns);
    CHECK(a.overlap_ns == b.overlap_ns);
    CHECK(a.span_ns == b.span_ns);
}

template <class Element>
void check_equal(const std::vector<Element>& a, const std::vector<Element>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); i++)
        check_equal(a[i], b[i]);
}

void check_same_after_reading(const Profile& a) {
    const std::string text = json_of(a);
    const Profile b = parse_profile_json(text);
    CHECK(json_of(b) == text);
    CHECK(a.run.visible_gpus == b.run.visible_gpus);
    for (std::size_t i = 0; i < a.functions.size(); i++) {
        CHECK(a.functions[i].kind == b.functions[i].kind);
        CHECK(a.functions[i].offset == b.functions[i].offset);
    }
    check_equal(a.gpu_functions, b.gpu_functions);
    check_equal(a.gpu_work, b.gpu_work);
    check_equal(a.gpu_streams, b.gpu_streams);
    check_equal(a.gpu_devices, b.gpu_devices);
}

}  // namespace

TEST_CASE("GPUs are the same after writing and reading") {
    Profile profile = gpu_sample_profile();
    check_same_after_reading(profile);
    profile.run.ranks = 0xffffffff;
    profile.run.visible_gpus = "GPU-\"1\"\n";
    for (std::uint32_t kind = 0; kind < gpu_works; kind++)
        profile.gpu_work.push_back({8, no_index, static_cast<GpuWork>(kind), most, longest, least,
                                    longest, most, most, least, 0xffffffff, most, most});
    std::erase_if(profile.gpu_work, [](const PathGpuWork& work) {
        return work.path == 8 && work.function == no_index && work.by_rank.ranks == 0;
    });
    profile.gpu_functions.push_back({most, "cuda\"?"});
    profile.gpu_streams.push_back({0xfffffffe, 0xfffffffe, 0xfffffffe, 0xfffffffe, most, most, most,
                                   longest, least, longest});
    // The entry for what merging left out.
    profile.gpu_streams.push_back(
        {no_index, no_index, no_index, no_index, most, 2, 3, longest, 5, least});
    profile.gpu_devices.push_back({0xfffffffe, 0xfffffffe, "", longest, least, longest, least});
    check_same_after_reading(profile);
}

TEST_CASE("a profile without GPUs has none of their keys") {
    const std::string text = json_of(sample_profile());
    CHECK(text.find("gpu") == std::string::npos);
    const Profile read = parse_profile_json(text);
    CHECK(read.gpu_functions.empty());
    CHECK(read.gpu_work.empty());
    CHECK(read.run.visible_gpus.empty());
}

TEST_CASE("work of a kind from a later version is left out") {
    const Profile profile = gpu_sample_profile();
    const Profile read = parse_profile_json(
        replaced(json_of(profile), "\"work\": \"memset\"", "\"work\": \"prefetch\""));
    CHECK(read.gpu_work.size() + 1 == profile.gpu_work.size());
    for (const PathGpuWork& work : read.gpu_work)
        CHECK(work.work != GpuWork::memset);
}

TEST_CASE("wrong GPU figures are refused") {
    const std::string good = json_of(gpu_sample_profile());
    REQUIRE(error_of(good) == "no error");
    auto error = [&](const std::string& what, const std::string& by) {
        return error_of(replaced(good, what, by));
    };
    CHECK(error("{\"node\": 6, \"function\": 4", "{\"node\": 9, \"function\": 4") ==
          "gpu.work[5].node: must be at most 8");
    CHECK(error("{\"node\": 6, \"function\": 4", "{\"node\": 6, \"function\": 10") ==
          "gpu.work[5].function: must be at most 9");
    CHECK(error("{\"node\": 6, \"function\": 4", "{\"node\": 5, \"function\": 3") ==
          "gpu.work[5]: must be sorted by node, function and work");
    CHECK(error("\"work\": \"memset\"", "\"work\": 7") == "gpu.work[7].work: must be a string");
    CHECK(error("\"work\": [", "\"work\": [1, ") == "gpu.work[0]: must be an object");
    CHECK(error("\"stream\": 13", "\"stream\": 7") ==
          "gpu.streams[1]: must be sorted by rank, device, context and stream");
    CHECK(error("{\"rank\": 0, \"number\": 1", "{\"rank\": 1, \"number\": 1") ==
          "gpu.devices[1].rank: must be at most 0");
    CHECK(error("{\"rank\": 0, \"number\": 1", "{\"rank\": 0, \"number\": 0") ==
          "gpu.devices[1]: must be sorted by rank and number");
    CHECK(error("\"cbid\": 31", "\"cbid\": 20") ==
          "gpu.functions[2]: must be sorted by api and cbid");
    CHECK(error("\"cbid\": 31", "\"cbid\": 4294967296") ==
          "gpu.functions[2].cbid: is out of range");
    CHECK(error("\"waited_ns\": 0",
                "\"waited_ns\": 0, \"ranks\": {\"count\": 2, \"fewest\": 1, \"most\": 1}") ==
          "gpu.work[0].ranks.count: must be between 1 and the number of ranks");
    CHECK(error("\"gpu\": {", "\"gpu\": [], \"other\": {") == "gpu: must be an object");
}
