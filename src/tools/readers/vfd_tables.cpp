#include "readers/vfd_tables.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/utf8.hpp"
#include "record/trace_file.hpp"

namespace vftrace {
namespace {

constexpr std::int32_t longest_header_text = 4096;

[[noreturn]] void fail(const VfdInput& input, std::string_view why) {
    throw VfdError(fmt::format("{}: {}", input.path, why));
}

void check_kind_of_file(const VfdInput& input) {
    char begin[8]{};
    VfdCursor cursor(input, {0, input.bytes}, "header");
    if (input.bytes == 0)
        fail(input, "is empty: the run did not finish, or the disk was full");
    std::memcpy(begin, cursor.peek(std::min<std::size_t>(sizeof begin, input.bytes)),
                std::min<std::size_t>(sizeof begin, input.bytes));
    if (std::memcmp(begin, chunk_magic, sizeof chunk_magic) == 0)
        fail(input, "is the trace of a run that did not finish; \"vftrace recover\" makes a "
                    "vfd file of it");
    if (input.bytes < sizeof(std::int32_t))
        fail(input, "is not a vfd file");
    std::int32_t version;
    std::memcpy(&version, begin, sizeof version);
    if (version == vfd_version)
        return;
    if (static_cast<std::int32_t>(__builtin_bswap32(static_cast<std::uint32_t>(version))) ==
        vfd_version)
        fail(input, "was written on a machine with a different byte order");
    if (version >= 0 && version < 100)
        fail(input, fmt::format("is a vfd file of version {1}, not {0}", vfd_version, version));
    fail(input, "is not a vfd file");
}

std::int32_t take_text_length(VfdCursor& header) {
    const std::uint64_t place = header.position();
    const auto length = header.take<std::int32_t>();
    if (length < 1 || length > longest_header_text)
        header.fail_at(place, fmt::format("a text of {} bytes", length));
    return length;
}

// In an unfinished run, the end date may be any text of this length.
std::string take_date(VfdCursor& header, std::int32_t length) {
    const std::string text = header.take_text(static_cast<std::uint64_t>(length));
    const std::size_t end = text.find('\0');
    if (end == std::string::npos)
        header.fail("a date is not terminated");
    return text.substr(0, end);
}

void check_numbers(const VfdInput& input, const VfdHeader& header, std::uint64_t header_end) {
    const VfdNumbers numbers = header.numbers;
    auto check = [&](bool good, std::string_view what, auto value) {
        if (!good)
            fail(input, fmt::format("the header is damaged: {} {}", what, value));
    };
    if (numbers.stacks == 0 && numbers.samples_offset == 0 && numbers.stacks_offset == 0 &&
        numbers.threads_offset == 0 && numbers.hwprof_offset == 0)
        fail(input, fmt::format("was never finished: {} began to write it on {} and did not "
                                "complete it",
                                printable(header.package), printable(header.start_date)));
    const std::int64_t interval = numbers.interval_ns;
    const std::int32_t processes = numbers.processes, rank = numbers.rank;
    check(interval >= 0, "sample interval", interval);
    check(processes >= 1, "number of processes", processes);
    check(rank >= 0 && rank < processes,
          fmt::format("number of the rank, of {} processes:", processes), rank);
    const std::int32_t threads = numbers.threads;
    check(threads >= 1, "number of threads", threads);
    const double runtime = numbers.runtime_s;
    check(std::isfinite(runtime) && runtime >= 0, "run time", runtime);
    const std::uint32_t stacks = numbers.stacks;
    check(stacks >= 1, "number of stacks", stacks);
    const std::pair<const char*, std::int64_t> offsets[] = {{"samples", numbers.samples_offset},
                                                            {"stacks", numbers.stacks_offset},
                                                            {"threads", numbers.threads_offset},
                                                            {"counters", numbers.hwprof_offset}};
    for (const auto& [part, offset] : offsets) {
        check(offset >= 0 && static_cast<std::uint64_t>(offset) >= header_end,
              fmt::format("{} at byte", part), offset);
        if (static_cast<std::uint64_t>(offset) > input.bytes)
            fail(input, fmt::format("is truncated: its {} are at byte {}, but it ends at byte {}",
                                    part, offset, input.bytes));
    }
}

// Checks a count from the header against the size of the table before memory is reserved.
template <class T>
std::vector<T> with_room_for(const VfdCursor& table, std::uint64_t count,
                             std::uint64_t least_bytes) {
    if (count > table.left() / least_bytes)
        table.fail(fmt::format("{} entries cannot be in {} bytes", count, table.left()));
    std::vector<T> elements;
    elements.reserve(count);
    return elements;
}

}  // namespace

VfdHeader read_vfd_header(const VfdInput& input, std::uint64_t& end) {
    check_kind_of_file(input);
    VfdCursor cursor(input, {0, input.bytes}, "header");
    VfdHeader header;
    header.version = cursor.take<std::int32_t>();
    header.package = take_date(cursor, take_text_length(cursor));
    const std::int32_t date_length = take_text_length(cursor);
    header.start_date = take_date(cursor, date_length);
    header.end_date = take_date(cursor, date_length);
    header.numbers = cursor.take<VfdNumbers>();
    end = cursor.position();
    check_numbers(input, header, end);
    return header;
}

VfdExtent extent_of_part(const VfdNumbers& numbers, std::int64_t offset,
                         std::uint64_t behind_tables) {
    VfdExtent extent{static_cast<std::uint64_t>(offset), behind_tables};
    for (const std::int64_t other : {numbers.samples_offset, numbers.stacks_offset,
                                     numbers.threads_offset, numbers.hwprof_offset})
        if (other > offset && static_cast<std::uint64_t>(other) < extent.end)
            extent.end = static_cast<std::uint64_t>(other);
    return extent;
}

std::vector<VfdStack> read_vfd_stacks(VfdCursor& table, std::uint32_t count) {
    auto stacks = with_room_for<VfdStack>(table, count, 2 * sizeof(std::int32_t));
    for (std::uint32_t i = 0; i < count; i++) {
        const std::uint64_t place = table.position();
        const auto parent = table.take<std::int32_t>();
        const bool is_root = i == 0;
        if (is_root ? parent != -1 : parent < 0 || static_cast<std::uint32_t>(parent) >= i)
            table.fail_at(place, fmt::format("stack {} is called by stack {}", i, parent));
        VfdStack& stack = stacks.emplace_back();
        stack.parent = is_root ? no_index : static_cast<std::uint32_t>(parent);
        stack.name = table.take_text_with_nul();
        if (stack.name.size() > 1 && stack.name.ends_with('*')) {
            stack.precise = true;
            stack.name.pop_back();
        }
    }
    return stacks;
}

std::vector<VfdThreadInfo> read_vfd_threads(VfdCursor& table, std::int32_t count) {
    auto threads = with_room_for<VfdThreadInfo>(table, static_cast<std::uint64_t>(count),
                                                sizeof(std::int32_t));
    for (std::int32_t i = 0; i < count; i++) {
        const std::uint64_t place = table.position();
        const auto parent = table.take<std::int32_t>();
        if (parent < -1 || parent >= i)
            table.fail_at(place, fmt::format("thread {} was created by thread {}", i, parent));
        threads.emplace_back().parent = parent;
    }
    return threads;
}

std::vector<VfdCounter> read_vfd_counters(VfdCursor& table, std::uint32_t count) {
    auto counters = with_room_for<VfdCounter>(table, count, 2 * sizeof(std::int32_t));
    for (std::uint32_t i = 0; i < count; i++) {
        VfdCounter& counter = counters.emplace_back();
        counter.name = table.take_text_with_nul();
        counter.symbol = table.take_text_with_nul();
    }
    return counters;
}

std::vector<VfdObservable> read_vfd_observables(VfdCursor& table, std::uint32_t count) {
    auto observables = with_room_for<VfdObservable>(table, count, 3 * sizeof(std::int32_t));
    for (std::uint32_t i = 0; i < count; i++) {
        VfdObservable& observable = observables.emplace_back();
        observable.name = table.take_text_with_nul();
        observable.formula = table.take_text_with_nul();
        observable.unit = table.take_text_with_nul();
    }
    return observables;
}

}  // namespace vftrace
