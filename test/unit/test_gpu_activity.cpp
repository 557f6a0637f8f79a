// Records of CUPTI: decoding of buffers that are made by hand.
#include <catch2/catch.hpp>

#include <array>
#include <cstring>

#include "gpu/activity_record.hpp"
#include "gpu/call_ring.hpp"
#include "gpu/cuda_functions.hpp"
#include "gpu/cupti_abi.hpp"

using namespace vftrace;

namespace {

// A record as long as the longest known, filled with bytes that must not be read.
struct Record {
    alignas(8) std::array<unsigned char, 256> bytes;
    explicit Record(std::uint32_t activity) {
        bytes.fill(0xa5);
        set<std::uint32_t>(0, activity);
        set<std::uint64_t>(16, 1000);
        set<std::uint64_t>(24, 1500);
    }
    template <class Value>
    Record& set(std::size_t at, Value value) {
        std::memcpy(bytes.data() + at, &value, sizeof value);
        return *this;
    }
    // Also decodes it from an address that is not aligned.
    DeviceWork work() const {
        std::array<unsigned char, 257> shifted;
        std::memcpy(shifted.data() + 1, bytes.data(), bytes.size());
        DeviceWork work;
        REQUIRE(decode_work(shifted.data() + 1, work));
        return work;
    }
};

Record copy_record(std::uint32_t activity, std::uint8_t kind) {
    Record record(activity);
    record.set<std::uint8_t>(4, kind).set<std::uint64_t>(8, 1 << 20).set<std::uint32_t>(32, 2);
    record.set<std::uint32_t>(36, 3).set<std::uint32_t>(40, 4).set<std::uint32_t>(44, 5);
    return record;
}

}  // namespace

TEST_CASE("A kernel") {
    Record record(10);
    record.set<std::uint32_t>(40, 1).set<std::uint32_t>(44, 2).set<std::uint32_t>(48, 7);
    record.set<std::uint32_t>(92, 123456).set<const char*>(104, "_Z4stepPf");
    const DeviceWork work = record.work();
    CHECK(work.work == GpuWork::kernel);
    CHECK(work.start == 1000);
    CHECK(work.end == 1500);
    CHECK(work.device == 1);
    CHECK(work.context == 2);
    CHECK(work.stream == 7);
    CHECK(work.correlation == 123456);
    CHECK(std::string(work.kernel) == "_Z4stepPf");
    CHECK(work.bytes == 0);
}

TEST_CASE("Copies by their kinds") {
    const std::pair<int, GpuWork> kinds[] = {
        {1, GpuWork::host_to_device},   {2, GpuWork::device_to_host},
        {3, GpuWork::host_to_device},   {4, GpuWork::device_to_host},
        {5, GpuWork::device_to_device}, {6, GpuWork::device_to_device},
        {7, GpuWork::device_to_device}, {8, GpuWork::device_to_device},
        {9, GpuWork::host_to_host},     {10, GpuWork::peer_to_peer},
        {0, GpuWork::device_to_device}, {77, GpuWork::device_to_device}};
    for (const auto& [kind, expected] : kinds) {
        const DeviceWork work = copy_record(1, static_cast<std::uint8_t>(kind)).work();
        CHECK(work.work == expected);
        CHECK(work.bytes == 1 << 20);
        CHECK(work.device == 2);
        CHECK(work.context == 3);
        CHECK(work.stream == 4);
        CHECK(work.correlation == 5);
        CHECK(work.kernel == nullptr);
    }
}

TEST_CASE("A copy between devices has its correlation elsewhere") {
    const DeviceWork work = copy_record(22, 10).set<std::uint32_t>(60, 99).work();
    CHECK(work.work == GpuWork::peer_to_peer);
    CHECK(work.correlation == 99);
}

TEST_CASE("A memset is not taken for a copy of the kind with the same number") {
    const DeviceWork work = copy_record(2, 9).work();
    CHECK(work.work == GpuWork::memset);
    CHECK(work.correlation == 5);
}

TEST_CASE("Managed memory") {
    Record record(25);
    record.set<std::uint32_t>(4, 1).set<std::uint64_t>(8, 4096);
    record.set<std::uint32_t>(40, 6).set<std::uint32_t>(44, 8);
    CHECK(record.work().work == GpuWork::migrated_to_device);
    CHECK(record.work().device == 8);
    CHECK(record.work().bytes == 4096);
    CHECK(record.work().correlation == 0);
    CHECK(record.work().stream == no_stream);
    record.set<std::uint32_t>(4, 2);
    CHECK(record.work().work == GpuWork::migrated_to_host);
    CHECK(record.work().device == 6);
    DeviceWork work;
    for (std::uint32_t counter : {0u, 3u, 4u, 5u, 6u, 7u, 9u, 0xffffffffu})
        CHECK_FALSE(decode_work(record.set(4, counter).bytes.data(), work));
}

TEST_CASE("Work without an end is reported as such") {
    for (const auto& [start, end] : {std::pair{0u, 0u}, {1000u, 0u}, {1000u, 999u}}) {
        const DeviceWork work =
            Record(10).set<std::uint64_t>(16, start).set<std::uint64_t>(24, end).work();
        CHECK(work.start == 0);
    }
}

TEST_CASE("Records of other kinds are not work") {
    DeviceWork work;
    for (std::uint32_t kind : {0u, 3u, 5u, 8u, 9u, 54u, 1000u, 0xffffffffu})
        CHECK_FALSE(decode_work(Record(kind).bytes.data(), work));
}

TEST_CASE("A device") {
    Record record(8);
    record.set<std::uint32_t>(112, 3).set<const char*>(136, "NVIDIA H200");
    DeviceDescription device;
    REQUIRE(decode_device(record.bytes.data(), device));
    CHECK(device.number == 3);
    CHECK(std::string(device.name) == "NVIDIA H200");
    CHECK_FALSE(decode_device(record.set<const char*>(136, nullptr).bytes.data(), device));
    CHECK_FALSE(decode_device(Record(10).bytes.data(), device));
}

TEST_CASE("The ring of calls knows the latest ones") {
    std::vector<CallRing::Entry> memory(CallRing::capacity);
    std::vector<Node> nodes(4);
    CallRing ring;
    ring.start(memory.data());
    CHECK_FALSE(ring.find(0).known);
    CHECK_FALSE(ring.find(17).known);
    ring.put(17, &nodes[1], 100);
    ring.put(18, nullptr, 200);
    CHECK(ring.find(17).known);
    CHECK(ring.find(17).node == &nodes[1]);
    CHECK(ring.find(17).ticks == 100);
    CHECK(ring.find(18).known);
    CHECK(ring.find(18).node == nullptr);
    // Another call in the same slot.
    CHECK_FALSE(ring.find(17 + CallRing::capacity).known);
    ring.put(17 + CallRing::capacity, &nodes[2], 300);
    CHECK_FALSE(ring.find(17).known);
    CHECK(ring.find(17 + CallRing::capacity).node == &nodes[2]);
    // The largest ids, whose upper part fills all of its bits.
    ring.put(0xffffffff, &nodes[3], 400);
    CHECK(ring.find(0xffffffff).node == &nodes[3]);
    CHECK_FALSE(ring.find(0xffffffff % CallRing::capacity).known);
    ring.put(0, &nodes[0], 500);
    CHECK(ring.find(0).node == &nodes[0]);
}

TEST_CASE("Functions of CUDA have roles") {
    CHECK(cuda_role(GpuApi::runtime, 211) == CudaRole::launch);  // cudaLaunchKernel
    CHECK(cuda_role(GpuApi::driver, 307) == CudaRole::launch);   // cuLaunchKernel
    CHECK(cuda_role(GpuApi::runtime, 307) == CudaRole::record);
    CHECK(cuda_role(GpuApi::runtime, 164) == CudaRole::reset);  // cudaDeviceReset
    CHECK(cuda_role(GpuApi::runtime, 10) == CudaRole::ask);     // cudaGetLastError
    CHECK(cuda_role(GpuApi::runtime, 31) == CudaRole::record);  // cudaMemcpy
    CHECK(cuda_role(GpuApi::runtime, 100'000) == CudaRole::record);
    CHECK(cuda_role(GpuApi::driver, 0xffffffff) == CudaRole::record);
}
