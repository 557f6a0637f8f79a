// The text log of a profile, and functions to search it.
#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "profile/profile.hpp"
#include "report/text_log.hpp"
#include "report/text_table.hpp"
#include "written_text.hpp"

namespace vftrace::test {

// Findings and efficiencies contain the words by which the tests find tables.
inline ReportOptions without_findings(ReportOptions options = {}) {
    options.show_findings = options.show_efficiency = false;
    return options;
}

inline std::string log_of(const Profile& profile, const ReportOptions& options = without_findings(),
                          LogScope scope = LogScope::summary) {
    return written_text(
        [&](OutputFile& out) { CHECK(write_text_log(profile, options, scope, out) == 0); });
}

// The tables that a function writes.
template <class Write>
std::string written_tables(Write write) {
    return written_text([&](OutputFile& out) {
        TextTables tables(out);
        write(tables);
    });
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// From the line `title` up to the next empty line.
inline std::string table_in(const std::string& log, const std::string& title) {
    const std::size_t begin = log.find("\n" + title + "\n");
    if (begin == std::string::npos)
        return "no such table";
    return log.substr(begin + 1, log.find("\n\n", begin + 1) - begin);
}

}  // namespace vftrace::test
