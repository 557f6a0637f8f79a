// The report page: one HTML file that shows profiles in a browser, without a network. For tools.
//
// It is the template that is built in viewer/ (share/report.html), with blocks of data inserted.
// Each block is compressed by zlib and written in base64, so that nothing in a profile can be
// mistaken for markup.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "export/export_format.hpp"
#include "page/page_profile.hpp"

namespace vftrace {

class PageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The output of `vftrace model --format json`.
struct PageModels {
    std::string file;   // for messages
    std::string label;  // name in the page
    std::string text;
};

struct ReportPage {
    std::vector<Profile> profiles;     // at least one; two are compared, more show how runs scale
    std::vector<std::string> labels;   // of each, to distinguish it from the others
    std::vector<std::string> regions;  // of each, pattern of regions with efficiencies
    std::vector<std::vector<PageLine>> lines;  // of each, as far as known
    ExportSource traces;                       // of one run; may be empty
    std::vector<PageModels> models;
    std::vector<std::string> source_folders;  // adds the text of source files below these
    bool anonymous = false;                   // see make_anonymous()
};

// Writes the page. Throws PageError, ExportError or VfdError. Remarks for the user go to `output`.
void write_report_page(ReportPage& page, ExportOutput& output);

}  // namespace vftrace
