// The report page: the template with blocks of data inserted.
#include "page/report_page.hpp"

#include <span>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "page/anonymous.hpp"
#include "page/columns.hpp"
#include "page/data_block.hpp"
#include "page/page_models.hpp"
#include "page/page_profile.hpp"
#include "page/page_run.hpp"
#include "page/page_sources.hpp"
#include "page/page_template.hpp"
#include "page/page_trace.hpp"

namespace vftrace {
namespace {

// Marks the place of the data in the template.
constexpr std::string_view place_of_data = "<!--vftrace-data-->";

void remark_on_sources(const std::vector<PageSources::LeftOut>& files, ExportOutput& output) {
    constexpr std::size_t most_shown = 20;
    for (std::size_t i = 0; i < files.size() && i < most_shown; i++)
        output.remark(fmt::format("{} is not in the page: {}", files[i].file, files[i].why));
    if (files.size() > most_shown)
        output.remark(fmt::format("{} further source file{} not in the page",
                                  files.size() - most_shown,
                                  files.size() - most_shown == 1 ? " is" : "s are"));
}

void remark_on_changed(const std::vector<std::string>& files, ExportOutput& output) {
    if (!files.empty())
        output.remark(
            fmt::format("{} source file{} changed after the run had started, so lines may "
                        "be wrong, the first being {}",
                        files.size(), plural_s(files.size()), files.front()));
}

}  // namespace

void write_report_page(ReportPage& page, ExportOutput& output) {
    const std::string_view whole = page_template();
    const std::size_t place = whole.find(place_of_data);
    if (place == std::string_view::npos)
        throw PageError("the template of the page does not have a placeholder for data");
    // Before the page is started, because models may be damaged.
    std::vector<std::string> models;
    models.reserve(page.models.size());
    for (const PageModels& one : page.models)
        models.push_back(page_models(one, page.anonymous));
    output.write(whole.substr(0, place));

    page.lines.resize(page.profiles.size());
    std::string sources;
    if (!page.source_folders.empty()) {
        PageSources read = page_sources(page.profiles, page.lines, page.source_folders);
        remark_on_sources(read.left_out, output);
        remark_on_changed(read.changed, output);
        sources = std::move(read.block);
    }
    unsigned number = 0;
    for (std::size_t i = 0; i < page.profiles.size(); i++) {
        if (page.anonymous)
            make_anonymous(page.profiles[i]);
        if (page.anonymous)
            make_anonymous(page.lines[i]);
        write_data_block(
            page_profile(page.profiles[i], page.labels[i], page.regions[i], page.lines[i]),
            number++, output);
        output.progress(i + 1, page.profiles.size());
    }
    if (page.profiles.size() > 1)
        write_data_block(page_block(page_scaling_json(page.profiles), PageColumns()), number++,
                         output);
    if (!page.traces.traces.empty())
        write_data_block(page_trace(page.traces, !page.anonymous, output), number++, output);
    for (const std::string& block : models)
        write_data_block(block, number++, output);
    if (!sources.empty())
        write_data_block(sources, number++, output);
    output.write(whole.substr(place + place_of_data.size()));
}

}  // namespace vftrace
