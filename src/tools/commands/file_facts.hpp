// Identifies files written by vftrace or Vftrace 2.0, with their main figures: for `vftrace info`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace::tools {

// One figure, for people and as a JSON value.
struct Fact {
    std::string key;    // in JSON: "run_time_s"
    std::string label;  // "Run time"; empty: only in JSON
    std::string text;   // "0.519 s"
    std::string json;   // 0.519
};

// Several facts of the same kind, with a line for each item.
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

    // These leave out facts without a value (empty, unknown).
    void add_text(const char* key, const char* label, std::string_view value);
    void add_count(const char* key, const char* label, std::uint64_t value);
    void add_bytes(const char* key, const char* label, std::uint64_t value);
    void add_seconds(const char* key, const char* label, double seconds);
    void add_time(const char* key, const char* label, std::int64_t unix_ns);
};

Fact text_fact(const char* key, const char* label, std::string_view value);
Fact count_fact(const char* key, const char* label, std::int64_t value);

// Identifies the file by its start. If the file cannot be read, is damaged, or was not written by
// vftrace, throws an exception with a text of one line that names the file.
FileFacts facts_of_file(const std::string& path);

// The same for the two kinds of traces.
FileFacts facts_of_vfd_file(const std::string& path);
FileFacts facts_of_unfinished_trace(const std::string& path);

}  // namespace vftrace::tools
