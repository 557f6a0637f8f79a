// Target of libFuzzer: the reader of vfd files gets arbitrary bytes as a file. Files that it does
// not reject are read and printed to the end, and analysed as the only trace of a run. Faults are
// exceptions other than VfdError and WaitsError, sanitizer reports, and run times of more than a
// few seconds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "commands/vfd_text.hpp"
#include "waits/analysis.hpp"
#include "waits/run_traces.hpp"

namespace {

// A file in memory, the same for all inputs.
int file_with(const std::uint8_t* bytes, std::size_t size) {
    static const int descriptor = memfd_create("vfd", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, 0) != 0 ||
        pwrite(descriptor, bytes, size, 0) != static_cast<ssize_t>(size))
        std::abort();
    return descriptor;
}

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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string path = "/proc/self/fd/" + std::to_string(file_with(bytes, size));
    try {
        read_and_print(path);
        analyse(path);
    } catch (const vftrace::VfdError&) {
    }
    return 0;
}
