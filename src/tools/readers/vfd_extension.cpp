#include "readers/vfd_extension.hpp"

#include <array>

#include <fmt/core.h>

#include "profile/display_names.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

constexpr std::uint64_t framing = sizeof(VfdExtensionHeader) + sizeof(VfdExtensionFooter);

bool is_magic(const char* bytes) {
    return std::memcmp(bytes, vfd_extension_magic, sizeof vfd_extension_magic) == 0;
}

using Reading = VfdExtension;

void read_run(VfdCursor& section, Reading& extension) {
    std::string* const texts[] = {&extension.application, &extension.command_line, &extension.host,
                                  &extension.configuration};
    static_assert(std::size(texts) == static_cast<std::size_t>(VfdRunText::count));
    for (std::string* text : texts)
        if (section.left() > 0)
            *text = section.take_counted_text();
}

void read_threads(VfdCursor& section, std::vector<VfdThreadInfo>& threads) {
    for (std::size_t i = 0; i < threads.size(); i++) {
        const std::uint64_t place = section.position();
        const auto thread = section.take<VfdThread>();
        if (thread.parent != threads[i].parent)
            section.fail_at(
                place,
                fmt::format("the parent of thread {} differs from that in the thread table", i));
        threads[i].number = thread.number;
        threads[i].openmp_worker = thread.flags & 1;
        threads[i].samples = thread.samples;
        threads[i].name = section.take_text(thread.name_bytes);
    }
    if (section.left() > 0)
        section.fail("it has more threads than the thread table");
}

void read_clock(VfdCursor& section, Reading& extension) {
    const auto clock = section.take<VfdClock>();
    if (clock.measured < 0 || clock.measured > 2)
        section.fail("offsets that were measured neither once nor twice");
    extension.clock = clock;
}

void read_modules(VfdCursor& section, Reading& extension) {
    while (section.left() > 0) {
        Module& module = extension.modules.emplace_back();
        module.path = section.take_counted_text();
        module.build_id = section.take_counted_text();
    }
}

void read_kinds(VfdCursor& section, std::vector<std::string>& kinds) {
    while (section.left() > 0)
        kinds.push_back(section.take_counted_text());
}

// Sets the kind of a function by the file's table of kinds, which older files do not have.
void set_kind(Function& function, std::uint32_t kind, const std::vector<std::string>& kinds) {
    const bool is_named = kind < kinds.size() && !kinds[kind].empty();
    if (is_named)
        function.kind = kind_of_word(kinds[kind]);
    else if (is_node_kind(kind) && row_of(static_cast<NodeKind>(kind)).is(kind_has_path))
        function.kind = static_cast<NodeKind>(kind);
    else
        function.kind = NodeKind::other;
    if (function.kind == NodeKind::other)
        function.other_kind = is_named ? kinds[kind] : fmt::format("kind-{}", kind);
}

void read_functions(VfdCursor& section, const std::vector<std::string>& kinds, Reading& extension) {
    while (section.left() > 0) {
        const std::uint64_t place = section.position();
        const auto entry = section.take<VfdFunction>();
        if (entry.module != no_index && entry.module >= extension.modules.size())
            section.fail_at(place, "a function in a module that does not exist");
        Function& function = extension.functions.emplace_back();
        set_kind(function, entry.kind, kinds);
        function.module = entry.module;
        function.offset = entry.offset;
        function.line = entry.line;
        function.symbol = section.take_counted_text();
        function.demangled = section.take_counted_text();
        function.file = section.take_counted_text();
    }
}

// The name as in the profile of the run, where paths have hashes of these names. Stacks have the
// displayed names instead.
std::string name_of(const Function& function, const VfdStack& stack) {
    const bool has_symbol = function.module != no_index ||
                            (function.kind == NodeKind::gpu && !function.demangled.empty());
    return has_symbol && !function.symbol.empty() ? clean_name(function.symbol) : stack.name;
}

void read_functions_of_stacks(VfdCursor& section, Reading& extension,
                              std::vector<VfdStack>& stacks) {
    for (VfdStack& stack : stacks) {
        stack.function = section.take<std::uint32_t>();
        if (stack.function == no_index)
            continue;
        if (stack.function >= extension.functions.size())
            section.fail("a stack of a function that does not exist");
        Function& function = extension.functions[stack.function];
        if (function.name.empty())
            function.name = name_of(function, stack);
    }
    set_display_names(extension.functions, CxxNames::full, false);
    for (Function& function : extension.functions)
        function.display = display_with_module(function);
}

void read_units(VfdCursor& section, std::vector<VfdCounter>& counters) {
    for (VfdCounter& counter : counters)
        counter.unit = section.take_counted_text();
}

void read_gaps(VfdCursor& section, Reading& extension, std::size_t threads) {
    if (section.left() % sizeof(VfdGap) != 0)
        section.fail("gaps of another size");
    while (section.left() > 0) {
        const std::uint64_t place = section.position();
        const auto gap = section.take<VfdGap>();
        if (gap.thread >= threads)
            section.fail_at(place, "a gap of a thread that does not exist");
        if (gap.start_ns < 0 || gap.end_ns < gap.start_ns)
            section.fail_at(place, "a gap that ends before it begins");
        extension.gaps.push_back(gap);
    }
}

void read_tracks(VfdCursor& section, Reading& extension) {
    extension.missing_work = section.take<std::uint64_t>();
    while (section.left() > 0) {
        const auto track = section.take<VfdTrack>();
        extension.tracks.push_back(
            {track.device, track.context, track.stream, track.pieces, section.take_counted_text()});
    }
}

void read_kernels(VfdCursor& section, Reading& extension) {
    while (section.left() > 0) {
        Function& kernel = extension.kernels.emplace_back();
        kernel.kind = NodeKind::gpu;
        kernel.name = kernel.symbol = section.take_counted_text();
        kernel.demangled = section.take_counted_text();
    }
    set_display_names(extension.kernels, CxxNames::full, false);
}

void read_communicators(VfdCursor& section, Reading& extension) {
    while (section.left() > 0) {
        VfdCommunicator& communicator = extension.communicators.emplace_back();
        communicator.identity = section.take<std::uint64_t>();
        const std::uint64_t place = section.position();
        const std::uint64_t size = section.take_number(), listed = section.take_number();
        // Each rank takes at least one byte.
        if (size >= no_index || (listed != 0 && listed != size) || listed > section.left())
            section.fail_at(
                place, fmt::format("a communicator of {} ranks, {} of which follow", size, listed));
        communicator.size = static_cast<std::uint32_t>(size);
        for (std::uint64_t i = 0; i < listed; i++) {
            const std::uint64_t rank = section.take_number();
            if (rank > no_index / 2)
                section.fail(fmt::format("a rank {}", rank));
            communicator.ranks.push_back(static_cast<std::int32_t>(rank) - 1);
        }
    }
}

// The work itself is streamed.
void check_size_of_work(const VfdCursor& section, const Reading& extension) {
    unsigned __int128 expected = 0;
    for (const VfdTrackInfo& track : extension.tracks)
        expected += track.pieces;
    if (expected * sizeof(VfdDeviceWork) != section.left())
        section.fail("its size differs from that of the work of all tracks");
}

// The known sections, with their names in messages.
struct KnownSection {
    VfdSection section;
    const char* name;
};
constexpr KnownSection known_sections[] = {
    {VfdSection::run, "section of the run"},
    {VfdSection::threads, "section of the threads"},
    {VfdSection::samples, "section of a thread's samples"},
    {VfdSection::clock, "section of the clock"},
    {VfdSection::modules, "section of the modules"},
    {VfdSection::kinds, "section of the kinds of functions"},
    {VfdSection::functions, "section of the functions"},
    {VfdSection::stacks, "section of the stacks"},
    {VfdSection::counters, "section of the counters"},
    {VfdSection::gaps, "section of the gaps"},
    {VfdSection::tracks, "section of the tracks"},
    {VfdSection::kernels, "section of the kernels"},
    {VfdSection::device_work, "section of the GPU work"},
    {VfdSection::call_samples, "section of a thread's samples without hooks"},
    {VfdSection::task_moments, "section of a thread's task events"},
    {VfdSection::communicators, "section of the communicators"},
    {VfdSection::operations, "section of the MPI operations"},
    {VfdSection::left_out, "section of a thread's events that were left out"},
};

struct Directory {
    std::array<VfdExtent, std::size(known_sections)> sections{};
    std::array<bool, std::size(known_sections)> present{};
};

// Stores the extent of a section that each thread may have. The samples of thread 0 are not in the
// extension.
void note_section_of_thread(const VfdCursor& cursor, std::uint64_t place,
                            const VfdSectionHeader& header, VfdExtent extent,
                            std::vector<VfdExtent>& of_threads) {
    const std::uint32_t thread = header.detail;
    if (thread >= of_threads.size() || (thread == 0 && header.section == VfdSection::samples))
        cursor.fail_at(place, "samples of a thread that does not exist");
    if (of_threads[thread].end > 0)
        cursor.fail_at(place, "samples of a thread that already has some");
    of_threads[thread] = extent;
}

// Finds the sections, which may be in any order.
Directory read_directory(const VfdInput& input, std::uint64_t begin, VfdStreamedParts parts) {
    Directory directory;
    VfdCursor cursor(input, {begin, input.bytes - sizeof(VfdExtensionFooter)}, "extension",
                     sizeof(VfdSectionHeader));
    cursor.skip(sizeof(VfdExtensionHeader));
    while (cursor.left() > 0) {
        const std::uint64_t place = cursor.position();
        const auto header = cursor.take<VfdSectionHeader>();
        if (header.bytes > cursor.left())
            cursor.fail_at(place, "a section that is longer than the file");
        const VfdExtent extent{cursor.position(), cursor.position() + header.bytes};
        cursor.skip(header.bytes);
        const VfdSection section = header.section;
        if (std::vector<VfdExtent>* const of_threads = parts.of_threads(section)) {
            note_section_of_thread(cursor, place, header, extent, *of_threads);
            continue;
        }
        for (std::size_t i = 0; i < std::size(known_sections); i++)
            if (known_sections[i].section == section) {
                if (directory.present[i])
                    cursor.fail_at(place, fmt::format("a second {}", known_sections[i].name));
                directory.sections[i] = extent;
                directory.present[i] = true;
            }
    }
    return directory;
}

}  // namespace

std::optional<std::uint64_t> find_vfd_extension(const VfdInput& input, std::uint64_t tables_end) {
    if (input.bytes < tables_end + framing)
        return std::nullopt;
    VfdCursor end(input, {input.bytes - sizeof(VfdExtensionFooter), input.bytes}, "extension");
    const auto footer = end.take<VfdExtensionFooter>();
    if (!is_magic(footer.magic))
        return std::nullopt;
    if (footer.extension_offset < 0 ||
        static_cast<std::uint64_t>(footer.extension_offset) < tables_end ||
        static_cast<std::uint64_t>(footer.extension_offset) > input.bytes - framing)
        end.fail(fmt::format("it begins at byte {}", std::int64_t{footer.extension_offset}));
    const auto begin = static_cast<std::uint64_t>(footer.extension_offset);
    VfdCursor start(input, {begin, input.bytes}, "extension", sizeof vfd_extension_magic);
    if (!is_magic(start.peek(sizeof vfd_extension_magic)))
        start.fail("it does not begin there");
    return begin;
}

bool has_cut_vfd_extension(const VfdInput& input, std::uint64_t tables_end) {
    if (input.bytes - tables_end < sizeof vfd_extension_magic)
        return false;
    VfdCursor cursor(input, {tables_end, input.bytes}, "extension", sizeof vfd_extension_magic);
    return is_magic(cursor.peek(sizeof vfd_extension_magic));
}

VfdExtension read_vfd_extension(const VfdInput& input, std::uint64_t begin, VfdTables tables,
                                VfdStreamedParts parts) {
    VfdExtension extension;
    extension.present = true;
    std::vector<std::string> kinds;
    const Directory directory = read_directory(input, begin, parts);
    // In the order of the table: modules and kinds before functions, functions before stacks.
    for (std::size_t i = 0; i < std::size(known_sections); i++) {
        if (!directory.present[i])
            continue;
        VfdCursor section(input, directory.sections[i], known_sections[i].name);
        switch (known_sections[i].section) {
        case VfdSection::run:
            read_run(section, extension);
            break;
        case VfdSection::threads:
            read_threads(section, tables.threads);
            break;
        case VfdSection::samples:
        case VfdSection::call_samples:
        case VfdSection::task_moments:
        case VfdSection::left_out:
            break;  // streamed
        case VfdSection::clock:
            read_clock(section, extension);
            break;
        case VfdSection::modules:
            read_modules(section, extension);
            break;
        case VfdSection::kinds:
            read_kinds(section, kinds);
            break;
        case VfdSection::functions:
            read_functions(section, kinds, extension);
            break;
        case VfdSection::stacks:
            read_functions_of_stacks(section, extension, tables.stacks);
            break;
        case VfdSection::counters:
            read_units(section, tables.counters);
            break;
        case VfdSection::gaps:
            read_gaps(section, extension, tables.threads.size());
            break;
        case VfdSection::tracks:
            read_tracks(section, extension);
            break;
        case VfdSection::kernels:
            read_kernels(section, extension);
            break;
        case VfdSection::device_work:
            check_size_of_work(section, extension);
            parts.device_work = directory.sections[i];
            break;
        case VfdSection::communicators:
            read_communicators(section, extension);
            break;
        case VfdSection::operations:
            extension.has_operations = true;
            parts.operations = directory.sections[i];
            break;
        }
    }
    return extension;
}

}  // namespace vftrace
