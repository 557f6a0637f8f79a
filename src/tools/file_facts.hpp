// Identifies files written by vftrace or Vftrace 2.0, with their main figures: for `vftrace info`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace::tools {

// One figure, for people and as a value of JSON.
struct Fact {
    std::string key;    // in JSON: "run_time_s"
    std::string label;  // "Run time"; empty: only in JSON
    std::string text;   // "0.519 s"
    std::string json;   // 0.519
};

// Several of the same kind: a line each.
struct FactTable {
    std::string key, title;
    std::vector<std::vector<Fact>> rows;  // each with the same keys and labels
};

struct FileFacts {
    std::string file;
    std::string kind;         // "vfd", "unfinished-trace", "profile", "tree", "text-log"
    std::string description;  // "trace, finished"
    std::vector<Fact> facts;
    std::vector<FactTable> tables;

    // Facts without a value (empty, unknown) are left out by these.
    void add_text(const char* key, const char* label, std::string_view value);
    void add_count(const char* key, const char* label, std::uint64_t value);
    void add_bytes(const char* key, const char* label, std::uint64_t value);
    void add_seconds(const char* key, const char* label, double seconds);
    void add_time(const char* key, const char* label, std::int64_t unix_ns);
};

Fact text_fact(const char* key, const char* label, std::string_view value);
Fact count_fact(const char* key, const char* label, std::int64_t value);

// Looks at the start of the file to know what it is. Throws an exception whose text is one line
// that names the file if it cannot be read, is damaged, or is none of ours.
FileFacts facts_of_file(const std::string& path);

// Those of the kinds that are traces.
FileFacts facts_of_vfd_file(const std::string& path);
FileFacts facts_of_unfinished_trace(const std::string& path);

}  // namespace vftrace::tools
