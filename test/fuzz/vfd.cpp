// vfd files: read and printed to the end, and analysed as the only trace of a run.
#include "readers.hpp"

#include <cstdint>

#include "base/output_file.hpp"
#include "commands/vfd_text.hpp"
#include "waits/analysis.hpp"
#include "waits/run_traces.hpp"

namespace {

void read_and_print(const std::string& path) {
    using namespace vftrace;
    const VfdFile file(path);
    static OutputFile nowhere("/dev/null");
    VfdText text(file, nowhere, VfdText::Names::readable);
    const VfdProgress ignore = [](std::uint64_t, std::uint64_t) {};
    text.write_header();
    text.write_thread_tree();
    text.write_stacks();
    text.write_tracks();
    text.write_device_work({}, ignore);
    text.write_samples({}, ignore);
    // Each reads the samples of thread 0 again.
    constexpr std::uint32_t most_threads = 4;
    for (std::uint32_t i = 0; i < file.threads().size() && i < most_threads; i++) {
        text.write_samples_of(i, true, {}, ignore);
        text.write_call_samples_of(i, {});
        text.write_task_moments_of(i, {});
    }
    text.write_counters();
    vftrace::VfdOperationStream operations = file.operations();
    for (VfdOperation operation; operations.next(operation);) {
    }
}

void analyse(const std::string& path) {
    try {
        vftrace::analyse_waits({path}, [](double) {});
    } catch (const vftrace::WaitsError&) {
    }
}

}  // namespace

void fuzz::read_vfd(std::string_view input) {
    const std::string path = file_with(input);
    try {
        read_and_print(path);
        analyse(path);
    } catch (const vftrace::VfdError&) {
    }
}
