// What other programs' formats have in common, and the one table of them. For tools.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "export/export_output.hpp"
#include "profile/profile.hpp"
#include "vfd/vfd_reader.hpp"

namespace vftrace {

// What is exported: the profiles or the traces that the user named, never both. Several traces are
// ranks of one run, sorted by rank.
struct ExportSource {
    std::vector<std::string> profile_names;  // files, in the order of `profiles`
    std::vector<Profile> profiles;
    std::vector<std::unique_ptr<VfdFile>> traces;
};

struct ExportFormat {
    const char* name;     // "perfetto"
    const char* meaning;  // one line for --help
    const char* suffix;   // of the default output file, ".perfetto-trace"
    bool from_profile, from_trace;
    // Writes everything. Throws ExportError if the source has not what the format needs.
    void (*write)(const ExportSource& source, ExportOutput& output);
};

class ExportError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

std::span<const ExportFormat> export_formats();
// nullptr if there is none of that name.
const ExportFormat* find_export_format(const std::string& name);

}  // namespace vftrace
