#include "queries/section_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/frame_address.hpp"
#include "guest/own_errno.hpp"
#include "guest/proc_status.hpp"
#include "guest/spare_descriptors.hpp"
#include "record/side_table.hpp"
#include "tree/own_record.hpp"
#include "tree/side_tables.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {

int levels_with_memory;
std::int64_t growth_to_report;

// The open sections of a thread for which the memory was read, and perhaps some that were left
// without an end.
struct OpenSectionMemory {
    static constexpr std::size_t most = 256;
    std::size_t count;
    struct {
        const Frame* frame;
        const Node* node;
        std::int64_t bytes;
        std::uint64_t start;  // ticks
    } sections[most];
};

namespace {

struct OfSection {
    std::uint64_t grown;  // signed
    std::uint64_t peak;
};
constexpr SideFigures<OfSection> of_sections{
    {{{MetricId::section_memory, 0, SideValue::signed_number}, {MetricId::section_peak}}}};

long long (*allocated_bytes)();  // of libvftrace_allocations.so; nullptr: resident memory is read
std::int64_t bytes_at_start, noted_of_root;
std::int64_t page_bytes;
bool was_read;  // by a section

// /proc/self/statm, opened by the first section that reads the memory, and kept open. Programs may
// close it and open another file with the same descriptor, so what is read is checked, and what is
// not ours is not closed.
int statm = -1;

void open_statm(int not_any_more) {
    int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0)
        descriptor = move_descriptor_up(descriptor);
    const bool is_new = __atomic_compare_exchange_n(&statm, &not_any_more, descriptor, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (!is_new && descriptor >= 0)
        close(descriptor);  // another thread was faster
}

// The second number of "a b c d e f g\n"; negative if the text is different.
std::int64_t resident_pages(const char* text, ssize_t length) {
    constexpr ssize_t longest = 160;
    constexpr int numbers = 7;
    if (length <= 0 || length > longest || text[length - 1] != '\n')
        return -1;
    std::int64_t pages = 0;
    int blanks = 0;
    for (ssize_t i = 0; i + 1 < length; i++) {
        if (text[i] == ' ')
            blanks++;
        else if (text[i] < '0' || text[i] > '9')
            return -1;
        else if (blanks == 1)
            pages = 10 * pages + (text[i] - '0');
    }
    return blanks == numbers - 1 ? pages : -1;
}

void book(ThreadState& state, const Node* node, std::int64_t grown, std::int64_t most) {
    SlowPath guard(state, frame_address());
    if (OfSection* own = of_sections.of(state, node)) {
        add_relaxed(own->grown, static_cast<std::uint64_t>(grown));
        set_shared(own->peak, std::max(own->peak, static_cast<std::uint64_t>(
                                                      std::max<std::int64_t>(most, 0))));
    }
}

// Makes room by dropping sections that were left without an end.
void drop_those_left(OpenSectionMemory& open) {
    const auto was_left = [](const auto& section) {
        return relaxed(section.frame->stack) == 0 || relaxed(section.frame->node) != section.node;
    };
    open.count = static_cast<std::size_t>(
        std::remove_if(open.sections, open.sections + open.count, was_left) - open.sections);
}

}  // namespace

void prepare_section_memory(const Options& options) {
    page_bytes = sysconf(_SC_PAGESIZE);
    if (options.section_memory == "off")
        return;
    if (options.section_memory == "allocations") {
        *reinterpret_cast<void**>(&allocated_bytes) =
            dlsym(RTLD_DEFAULT, "vftrace_allocated_bytes");
        if (!allocated_bytes) {
            message("section.memory: allocations are not counted, because "
                    "libvftrace_allocations.so is not preloaded (vftrace run does that)");
            return;
        }
    }
    levels_with_memory = options.section_memory_level + 1;
}

void forget_section_memory() {
    statm = -1;  // that of the parent
    was_read = false;
    noted_of_root = 0;
}

void note_section_memory(ThreadState* own) {
    if (!relaxed(was_read) || !own || !own->record)
        return;
    const std::int64_t now = memory_now();
    if (now == unknown_memory)
        return;
    const auto grown = static_cast<std::int64_t>(memory_grown().value_or(0));
    book(*own, own->record->root, grown - noted_of_root, now);
    noted_of_root = grown;
    OpenSectionMemory* open = own->open_memory;
    if (open)
        drop_those_left(*open);
    for (std::size_t i = 0; open && i < open->count; i++) {
        if (open->sections[i].bytes == unknown_memory)
            continue;
        book(*own, open->sections[i].node, now - open->sections[i].bytes, now);
        open->sections[i].bytes = now;
    }
}

void finish_section_memory(ThreadState* own) {
    note_section_memory(own);
    if (!relaxed(was_read))
        return;
    constexpr SideColumn column = {MetricId::section_rank_peak};
    constexpr std::uint64_t kibibyte = 1024;
    if (std::uint64_t* peak = new_process_values({&column, 1}))
        set_shared(*peak, kibibyte * number_in_status("/proc/self/status", "VmHWM"));
}

// If there is no room, growth is not reported: this many lines at once would not be useful.
constexpr std::size_t most_growths = 16;
static MemoryGrowth growths[most_growths];

static void note_growth(std::uintptr_t section, std::uint64_t ticks) {
    for (MemoryGrowth& growth : growths) {
        std::uint64_t none = 0;
        if (!__atomic_compare_exchange_n(&growth.ticks, &none, ticks | 1, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        __atomic_store_n(&growth.section, section, __ATOMIC_RELEASE);
        return;
    }
}

bool take_growth(MemoryGrowth& taken) {
    for (MemoryGrowth& growth : growths)
        if ((taken.section = __atomic_exchange_n(&growth.section, 0, __ATOMIC_ACQUIRE)) != 0) {
            taken.ticks = relaxed(growth.ticks);
            set_shared(growth.ticks, std::uint64_t{0});
            return true;
        }
    return false;
}

std::int64_t resident_bytes() {
    const int saved_errno = own_errno();
    char text[256];
    std::int64_t pages = -1;
    for (int attempt = 0; attempt < 2 && pages < 0; attempt++) {
        const int descriptor = relaxed(statm);
        if (descriptor >= 0)
            pages = resident_pages(text, pread(descriptor, text, sizeof text, 0));
        if (pages < 0)
            open_statm(descriptor);
    }
    own_errno() = saved_errno;
    return pages < 0 ? -1 : pages * page_bytes;
}

std::int64_t memory_now() {
    if (allocated_bytes)
        return allocated_bytes();
    const std::int64_t bytes = resident_bytes();
    return bytes < 0 ? unknown_memory : bytes;
}

// Reads it and adds the cost to that of the process.
static std::int64_t read_memory() {
    const std::uint64_t start = tree_ticks();
    const std::int64_t bytes = memory_now();
    // The thread may have lost its processor meanwhile.
    constexpr std::uint64_t longest = 100'000;
    __atomic_fetch_add(&process_record->section_memory_ticks,
                       std::min(tree_ticks() - start, longest), __ATOMIC_RELAXED);
    return bytes;
}

std::int64_t memory_if_cheap() {
    if (!process_record || process_record->start.ticks == 0)
        return memory_now();  // the first event of the process
    // Some readings are always affordable: 3 to 10 ms.
    constexpr std::uint64_t part = 100, least = 10'000'000;
    const std::uint64_t spent = relaxed(process_record->section_memory_ticks);
    if (spent > least + (tree_ticks() - process_record->start.ticks) / part) {
        __atomic_fetch_add(&process_record->section_memory_left_out, 1, __ATOMIC_RELAXED);
        return unknown_memory;
    }
    return read_memory();
}

void memory_at_begin(ThreadState& state, std::int64_t bytes) {
    if (bytes != unknown_memory && !relaxed(was_read)) {
        set_shared(bytes_at_start, bytes);
        set_shared(was_read, true);
    }
    if (!state.open_memory)
        state.open_memory = static_cast<OpenSectionMemory*>(map_memory(sizeof(OpenSectionMemory)));
    OpenSectionMemory* open = state.open_memory;
    if (open && open->count == OpenSectionMemory::most)
        drop_those_left(*open);
    if (open && open->count < OpenSectionMemory::most)
        open->sections[open->count++] = {state.top, state.top->node, bytes, tree_ticks()};
}

void memory_at_end(ThreadState& state, std::uintptr_t key) {
    OpenSectionMemory* open = state.open_memory;
    for (std::size_t i = open ? open->count : 0; i-- > 0;) {
        const auto begun = open->sections[i];
        if (begun.node->key != key)
            continue;
        std::copy(open->sections + i + 1, open->sections + open->count, open->sections + i);
        open->count--;
        const std::int64_t bytes = begun.bytes == unknown_memory ? unknown_memory : read_memory();
        if (bytes == unknown_memory)
            return;
        const std::int64_t grown = bytes - begun.bytes;
        if (growth_to_report > 0 && grown > growth_to_report)
            note_growth(key, tree_ticks() - begun.start);
        return book(state, begun.node, grown, std::max(bytes, begun.bytes));
    }
}

std::optional<double> memory_grown(const ThreadRecord& thread, const Node& node) {
    std::optional<double> grown;
    for (const SideTable* table = __atomic_load_n(&thread.side_tables, __ATOMIC_ACQUIRE); table;
         table = table->next) {
        if (source_of(*table) != SourceId::section)
            continue;
        for (const SideRow* row = __atomic_load_n(&table->first, __ATOMIC_ACQUIRE); row;
             row = __atomic_load_n(&row->next_created, __ATOMIC_ACQUIRE))
            if (row->node == &node)
                grown = grown.value_or(0) +
                        static_cast<double>(static_cast<std::int64_t>(relaxed(row->values()[0])));
    }
    const ThreadState* own = own_thread_state;
    if (!own || own->record != &thread || !own->open_memory)
        return grown;
    for (std::size_t i = 0; i < own->open_memory->count; i++)
        if (const auto& open = own->open_memory->sections[i];
            open.node == &node && open.bytes != unknown_memory)
            if (const std::int64_t now = memory_now(); now != unknown_memory)
                grown = grown.value_or(0) + static_cast<double>(now - open.bytes);
    return grown;
}

std::optional<double> memory_grown() {
    const std::int64_t now = relaxed(was_read) ? memory_now() : unknown_memory;
    if (now == unknown_memory)
        return std::nullopt;
    return static_cast<double>(now - relaxed(bytes_at_start));
}

}  // namespace vftrace
