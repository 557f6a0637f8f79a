// Names of OpenACC events, and the lists of constructs' transfers.
#include <catch2/catch.hpp>

#include <limits>
#include <string>

#include "device_record/construct_transfers.hpp"
#include "device_record/record_memory.hpp"
#include "gpu/openacc_names.hpp"
#include "tree/own_record.hpp"

using namespace vftrace;

namespace {

// A process that has recorded nothing yet.
struct Process {
    ProcessRecord record{};
    Process() {
        process_record = &record;
        forget_openacc_names();
        forget_construct_transfers();
        forget_gpu_memory();
    }
    ~Process() { process_record = nullptr; }
};

const OpenaccEvent& update = *openacc_event(14);
constexpr std::int32_t most_lines = std::numeric_limits<std::int32_t>::max();

std::string name(const OpenaccPlace& place) { return openacc_name(update, place)->function; }

}  // namespace

TEST_CASE("names of OpenACC's events have the lines that are known") {
    Process process;
    CHECK(name({"a.c", "f", 12, 18}) == "openacc_12_18_update");
    CHECK(name({"a.c", "f", 12, 12}) == "openacc_12_12_update");
    CHECK(name({"a.c", "f", 12, 0}) == "openacc_12_update");
    CHECK(name({"a.c", "f", 12, 5}) == "openacc_12_update");
    CHECK(name({nullptr, nullptr, -1, -1}) == "openacc_update");
    CHECK(name({"", "", 0, 9}) == "openacc_update");
    CHECK(name({"a.c", "f", most_lines, most_lines}) == "openacc_2147483647_2147483647_update");
    const GpuCallName* huge = openacc_name(update, {"a.c", "f", 1, most_lines});
    CHECK(openacc_event_number(huge->callback) == 14);
    CHECK(openacc_last_line(huge->callback) == 0xffffff);
    CHECK(process.record.gpu == nullptr);
}

TEST_CASE("equal texts at other addresses have one name, others have another one") {
    Process process;
    std::string file = "dir/a.c", function = "f";
    const GpuCallName* first = openacc_name(update, {file.c_str(), function.c_str(), 1, 2});
    const std::string file_again = file, function_again = function;
    CHECK(openacc_name(update, {file_again.c_str(), function_again.c_str(), 1, 2}) == first);
    file[0] = 'x';  // another module is now in its place
    CHECK(openacc_name(update, {file.c_str(), function.c_str(), 1, 2}) != first);
    CHECK(std::string(first->file) == "dir/a.c");
    CHECK(std::string(first->within) == "f");
    CHECK(first->line == 1);
    const GpuCallName* others[] = {openacc_name(update, {"dir/a.c", "g", 1, 2}),
                                   openacc_name(update, {"dir/a.c", "f", 1, 3}),
                                   openacc_name(update, {"dir/a.c", "f", 2, 2}),
                                   openacc_name(update, {"dir/a.cf", "", 1, 2}),
                                   openacc_name(update, {nullptr, nullptr, 1, 2}),
                                   openacc_name(*openacc_event(16), {"dir/a.c", "f", 1, 2})};
    for (const GpuCallName* other : others) {
        REQUIRE(other);
        CHECK(other != first);
    }
    CHECK(others[4]->file == nullptr);
    CHECK(openacc_name(update, {"", "", 1, 2}) == others[4]);
}

TEST_CASE("unterminated texts are cut") {
    Process process;
    const std::string longest(1'000'000, 'x');
    const GpuCallName* name = openacc_name(update, {longest.c_str(), longest.c_str(), 1, 2});
    REQUIRE(name);
    CHECK(std::string(name->file).size() == 1000);
    CHECK(openacc_name(update, {longest.c_str(), longest.c_str(), 1, 2}) == name);
}

TEST_CASE("events by the numbers of starts and ends") {
    for (const OpenaccEvent& event : openacc_events) {
        CHECK(openacc_event(event.number) == &event);
        if (event.lasts)
            CHECK(openacc_event(event.number + 1) == &event);
        CHECK(is_openacc(gpu_call_id(GpuApi::openacc, openacc_callback(event.number, 7))));
    }
    for (std::uint32_t number : {0u, 5u, 26u, 0xffffffffu})
        CHECK(openacc_event(number) == nullptr);
    CHECK_FALSE(is_openacc(gpu_call_id(GpuApi::runtime, 14)));
    CHECK_FALSE(is_openacc(0));
}

TEST_CASE("bytes are added up by node and device") {
    Process process;
    const Node first{}, second{};
    add_transfer(nullptr, 0, ConstructBytes::to_device, 5);
    CHECK(process.record.gpu == nullptr);
    for (int i = 0; i < 1000; i++)
        for (std::int32_t device : {-1, 0, 1}) {
            add_transfer(&first, device, ConstructBytes::to_device, 3);
            add_transfer(&second, device, ConstructBytes::on_device, 0);
        }
    std::size_t sums = 0;
    for (const ConstructTransfers* work = process.record.gpu->transfers; work;
         work = work->next_created) {
        sums++;
        const bool is_first = work->node == &first;
        CHECK(work->count[0] == (is_first ? 1000 : 0));
        CHECK(work->bytes[0] == (is_first ? 3000 : 0));
        CHECK(work->count[2] == (is_first ? 0 : 1000));
        CHECK(work->bytes[2] == 0);
    }
    CHECK(sums == 6);
}

TEST_CASE("devices are registered once") {
    Process process;
    for (int i = 0; i < 3; i++) {
        add_construct_device(ProgrammingModel::openacc, 0, false);
        add_construct_device(ProgrammingModel::openacc, 0, true);
        add_construct_device(ProgrammingModel::openmp, 0, false);
        add_construct_device(ProgrammingModel::openmp, -1, false);
    }
    std::size_t devices = 0;
    for (const ConstructDevice* device = process.record.gpu->construct_devices; device;
         device = device->next_created)
        devices++;
    CHECK(devices == 4);
}
