// Names of functions that a program has generated while it ran (JavaScript, Java, .NET), from the
// list that its just-in-time compiler writes for `perf`: /tmp/perf-PID.map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace vftrace {

// The usual path of the list of a process.
std::string perf_map_path(std::int64_t pid);

// What a list must fulfil to be used: everyone may create files in /tmp.
struct PerfMapFile {
    std::string path{};  // "": there is none
    uid_t owner = 0;
    // When it was last written. An older one is from an earlier process with the same number.
    std::int64_t not_before_unix_ns = 0, not_after_unix_ns = INT64_MAX;
};

// A generated function. Its code may have replaced that of others.
struct GeneratedFunction {
    std::uintptr_t start, end;
    std::string name;
};

// The functions at some addresses. Memory depends on the number of these, not on that of functions.
class PerfMap {
  public:
    explicit PerfMap(PerfMapFile file) : file_(std::move(file)) {}

    // Announces an address that find() will be called for. Call it for all of them first: the list
    // is read when the first one is looked up that was not known at the last reading.
    void expect(std::uintptr_t address) { expected_.push_back(address); }

    // nullptr if the list does not contain it, or cannot be used.
    const GeneratedFunction* find(std::uintptr_t address);

  private:
    struct Place {
        std::uintptr_t address;
        std::size_t function;  // index into functions_
    };
    void read();
    void read_line(std::string_view line);

    PerfMapFile file_;
    std::vector<std::uintptr_t> expected_;  // not looked up yet
    std::vector<Place> places_;             // sorted
    std::vector<GeneratedFunction> functions_;
};

}  // namespace vftrace
