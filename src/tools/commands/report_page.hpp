// vftrace report --html: the command's side of the report page.
#pragma once

#include <string>
#include <vector>

namespace vftrace::tools {

struct PageArguments {
    std::string output;  // empty: next to the first profile; "-": standard output
    std::vector<std::string> source_folders;
    bool anonymous = false;
    bool inlines = false;
    std::vector<std::string> source_map;  // "OLD=NEW"
};

// Writes the page of profiles, and of traces of one run, and prints its name. Throws CommandError
// and the exceptions of readers and exports.
void write_page(const std::vector<std::string>& files, const PageArguments& arguments);

}  // namespace vftrace::tools
