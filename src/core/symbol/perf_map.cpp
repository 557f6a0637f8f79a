// Format: tools/perf/Documentation/jit-interface.txt of Linux: lines "START SIZE name", in
// hexadecimal; the last line for an address counts.
#include "symbol/perf_map.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "symbol/abridge.hpp"

namespace vftrace {
namespace {

constexpr std::size_t no_function = ~std::size_t{0};
constexpr std::size_t most_bytes = 256 << 20, piece = 64 << 10;

// Takes a hexadecimal number and the blank behind it. Returns false if there is none.
bool take_number(std::string_view& line, std::uintptr_t& number) {
    if (line.starts_with("0x"))
        line.remove_prefix(2);
    std::size_t digits = 0;
    number = 0;
    for (; digits < line.size() && line[digits] != ' '; digits++) {
        const char c = line[digits];
        const bool is_digit = c >= '0' && c <= '9';
        const char lower = static_cast<char>(c | 0x20);
        if (!is_digit && (lower < 'a' || lower > 'f'))
            return false;
        number = number * 16 + static_cast<std::uintptr_t>(is_digit ? c - '0' : lower - 'a' + 10);
    }
    if (digits == 0 || digits > 2 * sizeof number || digits == line.size())
        return false;
    line.remove_prefix(digits + 1);
    return true;
}

bool is_usable(const PerfMapFile& file, const struct stat& status) {
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    const std::int64_t written =
        std::int64_t{status.st_mtim.tv_sec} * ns_per_s + status.st_mtim.tv_nsec;
    return S_ISREG(status.st_mode) && status.st_uid == file.owner &&
           written >= file.not_before_unix_ns && written <= file.not_after_unix_ns;
}

}  // namespace

std::string perf_map_path(std::int64_t pid) {
    return format("/tmp/perf-%lld.map", static_cast<long long>(pid));
}

const GeneratedFunction* PerfMap::find(std::uintptr_t address) {
    if (!expected_.empty())
        read();
    const auto place =
        std::lower_bound(places_.begin(), places_.end(), address,
                         [](const Place& known, std::uintptr_t at) { return known.address < at; });
    if (place == places_.end() || place->address != address || place->function == no_function)
        return nullptr;
    return &functions_[place->function];
}

void PerfMap::read() {
    for (const std::uintptr_t address : expected_)
        places_.push_back({address, no_function});
    expected_.clear();
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
        return a.address != b.address ? a.address < b.address : a.function < b.function;
    });
    places_.erase(
        std::unique(places_.begin(), places_.end(),
                    [](const Place& a, const Place& b) { return a.address == b.address; }),
        places_.end());
    if (file_.path.empty())
        return;
    const int descriptor =
        open(file_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return;
    struct stat status;
    if (fstat(descriptor, &status) == 0 && is_usable(file_, status)) {
        std::string text;  // what does not end in a newline yet
        std::size_t in_all = 0;
        bool is_too_long = false;  // skips the rest of a line
        for (ssize_t got = 1; got > 0 && in_all < most_bytes;) {
            const std::size_t before = text.size();
            text.resize(before + piece);
            got = ::read(descriptor, text.data() + before, piece);
            text.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
            in_all += text.size() - before;
            std::string_view rest = text;
            for (std::size_t end; (end = rest.find('\n')) != rest.npos;) {
                if (!is_too_long)
                    read_line(rest.substr(0, end));
                is_too_long = false;
                rest.remove_prefix(end + 1);
            }
            is_too_long = is_too_long || rest.size() > piece;
            text.erase(0, is_too_long ? text.size() : text.size() - rest.size());
        }
    }
    close(descriptor);
}

void PerfMap::read_line(std::string_view line) {
    std::uintptr_t start = 0, bytes = 0;
    if (!take_number(line, start) || !take_number(line, bytes) || line.empty() ||
        bytes > UINTPTR_MAX - start)
        return;
    auto place =
        std::lower_bound(places_.begin(), places_.end(), start,
                         [](const Place& known, std::uintptr_t at) { return known.address < at; });
    if (place == places_.end() || place->address >= start + bytes)
        return;
    std::string name(line);
    std::replace_if(
        name.begin(), name.end(),
        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
    functions_.push_back({start, start + bytes, abridged(std::move(name))});
    for (; place != places_.end() && place->address < start + bytes; ++place)
        place->function = functions_.size() - 1;
}

}  // namespace vftrace
