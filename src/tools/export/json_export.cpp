// The profile as vftrace writes it.
#include <string>

#include "base/output_file.hpp"
#include "export/exporters.hpp"
#include "profile/profile_json.hpp"

namespace vftrace {

void export_json(const ExportSource& source, ExportOutput& output) {
    std::string text;
    OutputFile file(text);
    write_profile_json(source.profiles.front(), file);
    file.close();
    output.write(text);
}

}  // namespace vftrace
