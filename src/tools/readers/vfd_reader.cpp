// Opens vfd files, finds their parts and checks that these are consistent.
#include "readers/vfd_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "readers/vfd_extension.hpp"
#include "readers/vfd_tables.hpp"

namespace vftrace {
namespace {

constexpr std::uint32_t most_samples = std::numeric_limits<std::uint32_t>::max();

}  // namespace

VfdFile::VfdFile(const std::string& path) : VfdFile() {
    path_ = path;
    // Nonblocking, because the file may be a pipe.
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0)
        throw VfdError(fmt::format("{}: {}", path, std::strerror(errno)));
    if (S_ISDIR(status.st_mode))
        throw VfdError(fmt::format("{}: {}", path, std::strerror(EISDIR)));
    if (!S_ISREG(status.st_mode))
        throw VfdError(fmt::format("{}: is not a regular file", path));
    bytes_ = static_cast<std::uint64_t>(status.st_size);
    read_tables();
}

VfdFile::~VfdFile() {
    if (descriptor_ >= 0)
        close(descriptor_);
}

void VfdFile::read_tables() {
    const VfdInput input{descriptor_, path_, bytes_};
    std::uint64_t header_end;
    header_ = read_vfd_header(input, header_end);
    const VfdNumbers& numbers = header_.numbers;
    auto part = [&](std::int64_t offset, const char* name) {
        return VfdCursor(input, extent_of_part(numbers, offset, bytes_), name);
    };
    VfdCursor stacks = part(numbers.stacks_offset, "stack table");
    stacks_ = read_vfd_stacks(stacks, numbers.stacks);
    VfdCursor threads = part(numbers.threads_offset, "thread table");
    threads_ = read_vfd_threads(threads, numbers.threads);
    VfdCursor hwprof = part(numbers.hwprof_offset, "table of counters");
    counters_ = read_vfd_counters(hwprof, numbers.counters);
    observables_ = read_vfd_observables(hwprof, numbers.observables);

    samples_of_.resize(threads_.size());
    call_samples_of_.resize(threads_.size());
    task_moments_of_.resize(threads_.size());
    left_out_of_.resize(threads_.size());
    const VfdExtent samples = extent_of_part(numbers, numbers.samples_offset, bytes_);
    samples_of_[0].begin = samples.begin;
    samples_of_[0].end = samples.end;
    threads_[0].samples = numbers.function_samples;
    read_extension(std::max({hwprof.position(), stacks.position(), threads.position()}));
    check_samples_of_first_thread();
    check_samples_of_other_threads();
}

void VfdFile::read_extension(std::uint64_t tables_end) {
    const VfdInput input{descriptor_, path_, bytes_};
    const auto begin = find_vfd_extension(input, tables_end);
    if (!begin) {
        if (has_cut_vfd_extension(input, tables_end))
            throw VfdError(
                fmt::format("{}: is truncated: its extension does not have an end", path_));
        return;
    }
    std::vector<VfdExtent> samples(threads_.size()), call_samples(threads_.size()),
        task_moments(threads_.size()), left_out(threads_.size());
    VfdExtent work, operations;
    extension_ =
        read_vfd_extension(input, *begin, {stacks_, threads_, counters_},
                           {samples, call_samples, task_moments, left_out, work, operations});
    device_work_ = {work.begin, work.end};
    operations_ = {operations.begin, operations.end};
    for (std::size_t i = 0; i < call_samples.size(); i++) {
        call_samples_of_[i] = {call_samples[i].begin, call_samples[i].end};
        task_moments_of_[i] = {task_moments[i].begin, task_moments[i].end};
        left_out_of_[i] = {left_out[i].begin, left_out[i].end};
    }
    for (std::size_t i = 1; i < samples.size(); i++) {
        samples_of_[i].begin = samples[i].begin;
        samples_of_[i].end = samples[i].end;
    }
}

std::uint64_t VfdFile::function_sample_bytes() const {
    return sizeof(VfdFunctionSample) + counters_.size() * sizeof(std::int64_t);
}

void VfdFile::check_samples_of_first_thread() {
    const VfdNumbers& numbers = header_.numbers;
    Section& section = samples_of_[0];
    section.message_samples =
        numbers.message_samples < most_samples ? numbers.message_samples : unknown_samples;
    section.function_samples = threads_[0].samples;
    if (numbers.function_samples < most_samples) {
        if (threads_[0].samples != numbers.function_samples)
            throw VfdError(fmt::format("{}: its extension has a different number of samples than "
                                       "its header",
                                       path_));
    } else if (threads_[0].samples < most_samples || !extension_.present) {
        section.function_samples = unknown_samples;
    }
    if (section.function_samples == unknown_samples || section.message_samples == unknown_samples)
        return;

    // Without samples, the next part begins at the same byte.
    if (section.function_samples == 0 && section.message_samples == 0)
        section.end = section.begin;
    const std::uint64_t bytes = section.end - section.begin;
    const unsigned __int128 functions = section.function_samples,
                            messages = section.message_samples;
    const auto expected = functions * function_sample_bytes() + messages * sizeof(VfdMessageSample);
    if (expected == bytes)
        return;
    // Vftrace 2.0 wrote some samples without readings, without marking them.
    const auto least = functions * sizeof(VfdFunctionSample) + messages * sizeof(VfdMessageSample);
    section.lacks_sync_readings = !extension_.present && least <= bytes && bytes < expected;
    if (!section.lacks_sync_readings)
        throw VfdError(fmt::format("{}: {} function and {} message samples cannot be in {} bytes",
                                   path_, section.function_samples, section.message_samples,
                                   bytes));
}

void VfdFile::check_samples_of_other_threads() {
    for (std::size_t i = 1; i < samples_of_.size(); i++) {
        Section& section = samples_of_[i];
        section.function_samples = threads_[i].samples;
        const unsigned __int128 expected =
            static_cast<unsigned __int128>(section.function_samples) * function_sample_bytes();
        if (expected != section.end - section.begin)
            throw VfdError(fmt::format("{}: {} samples of thread {} cannot be in {} bytes", path_,
                                       section.function_samples, i, section.end - section.begin));
    }
}

std::string VfdFile::stack_text(std::uint32_t stack, bool mark_precise) const {
    std::string text;
    for (std::uint32_t step = stack; step != no_index; step = stacks_[step].parent) {
        if (step != stack)
            text += '<';
        text += stacks_[step].name;
        if (mark_precise && stacks_[step].precise)
            text += '*';
    }
    return text;
}

}  // namespace vftrace
