// The report of regions of a profile, as the run itself writes it: in GEOPM's format.
#include <string>

#include "base/output_file.hpp"
#include "export/exporters.hpp"
#include "report/region_report.hpp"
#include "report/region_yaml.hpp"

namespace vftrace {

void export_geopm(const ExportSource& source, ExportOutput& output) {
    const Profile& profile = source.profiles.front();
    if (!has_region_report(profile))
        throw ExportError(source.profile_names.front() +
                          ": this run does not have a report of regions (see the option "
                          "region_report.active)");
    std::string text;
    OutputFile out(text);
    write_region_yaml(profile, {.profile = profile.run.application}, out);
    out.close();
    output.write(text);
}

}  // namespace vftrace
