#include "service/thread_binding.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_files.hpp"
#include "base/relaxed.hpp"
#include "guest/seccomp.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

// By processor: the core, as in ThreadRecord::core; 0: not read yet.
std::uint16_t cores[ProcessorSet::most];
constexpr std::uint16_t no_core = 0xffff;

// `tid`: 0 for the calling thread.
void note(ThreadRecord& record, std::int32_t tid) {
    ProcessorSet set{};
    // The system call, because the C library's function knows only as many as its set has.
    const long bytes = syscall(SYS_sched_getaffinity, tid, sizeof set.words, set.words);
    if (bytes <= 0)
        return;
    for (std::size_t i = 0; i < std::size(set.words); i++)
        set_shared(record.processors.words[i], set.words[i]);
}

// Linux, Documentation/admin-guide/cputopology.rst: "0,32" or "0-1".
std::uint16_t read_core(std::size_t processor) {
    char path[96] = "/sys/devices/system/cpu/cpu";
    char* end = path + std::strlen(path);
    end = std::to_chars(end, end + 8, processor).ptr;
    constexpr char file[] = "/topology/thread_siblings_list";
    std::memcpy(end, file, sizeof file);
    char room[64];
    const std::string_view text = start_of_file(path, room);
    std::uint16_t first = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), first);
    return error == std::errc() && first < ProcessorSet::most
               ? static_cast<std::uint16_t>(first + 1)
               : no_core;
}

std::uint16_t core_of(std::size_t processor) {
    std::uint16_t& core = cores[processor];
    if (core == 0)
        core = read_core(processor);
    return core;
}

// Whoever may use more processors than a core has usually moves between cores.
void note_core(ThreadRecord& record, std::uint64_t processors) {
    constexpr std::uint64_t most = 2;
    std::uint64_t count = 0;
    for (const std::uint64_t& word : record.processors.words)
        count += static_cast<std::uint64_t>(std::popcount(relaxed(word)));
    if (count == 0 || count > most || count >= processors)
        return;
    std::uint16_t common = 0;
    for (std::size_t i = 0; i < ProcessorSet::most; i++)
        if (record.processors.has(i)) {
            const std::uint16_t core = core_of(i);
            if (core == no_core || (common != 0 && core != common))
                return;
            common = core;
        }
    set_shared(record.core, std::uint32_t{common});
}

}  // namespace

void note_binding(ThreadRecord& own) {
    const int saved_errno = errno;
    note(own, 0);
    errno = saved_errno;
}

void note_bindings_at_end(std::uint64_t processors) {
    const bool may_read = !seccomp_filter_was_noted();
    ThreadRecord* record = __atomic_load_n(&process_record->threads, __ATOMIC_ACQUIRE);
    for (; record; record = record->next) {
        if (relaxed(record->in_use))
            note(*record, relaxed(record->tid));
        if (may_read)
            note_core(*record, processors);
    }
}

}  // namespace vftrace
