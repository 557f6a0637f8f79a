// What the formats of other programs have in common, and the table of all of them. For tools.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "code/sampled_lines.hpp"
#include "export/export_output.hpp"
#include "profile/profile.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// One --parameter NAME=VALUE[,VALUE]... of the command: a quantity that differs between the runs,
// for formats that model scaling (extrap).
struct ExportParameter {
    std::string name;
    std::vector<double> values;  // one per file, in their order, or one for all
};

// Parses such a text. Throws ExportError.
ExportParameter parse_export_parameter(const std::string& text);

// What is exported: the profiles or the traces that the user named, never both. Several traces are
// ranks of one run, sorted by rank.
struct ExportSource {
    std::vector<std::string> profile_names;  // files, in the order of `profiles`
    std::vector<Profile> profiles;
    std::vector<std::unique_ptr<VfdFile>> traces;
    std::vector<ExportParameter> parameters;
    SourceMap source_map;  // where files of programs and sources are
    std::string module;    // for orders of functions: the name of the file; "": that of the program
};

struct ExportFormat {
    const char* name;     // "perfetto"
    const char* meaning;  // one line for --help
    const char* suffix;   // of the default output, ".perfetto-trace"
    bool from_profile, from_trace;
    bool several_profiles;  // otherwise one at a time
    ExportTarget target;
    // Writes everything. Throws ExportError if the source does not have the data that the format
    // needs. nullptr if the command was built without `package`.
    void (*write)(const ExportSource& source, ExportOutput& output);
    const char* package;  // the Debian package that the format needs, or nullptr
};

std::span<const ExportFormat> export_formats();
// Returns nullptr if there is no format of that name.
const ExportFormat* find_export_format(const std::string& name);

}  // namespace vftrace
