// Which threads touched large blocks first, on which memory nodes that was, and who uses them.
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "profile/placement.hpp"
#include "report/heap_tables.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;
constexpr double kibibyte = 1024;

// "0: 97 %, 1: 3 %": the nodes by their parts of what was touched.
std::string nodes_of_memory(const SitePlacement& site) {
    constexpr double least_percent = 0.5;
    std::string text;
    for (const SitePlacement::Share& node : site.nodes) {
        const double percent = site.touched > 0 ? 100 * node.touched / site.touched : 0;
        if (percent >= least_percent)
            append_format(text, "%s%u: %.0f %%", text.empty() ? "" : ", ", node.number, percent);
    }
    return text;
}

void write_row(const Profile& profile, const SitePlacement& site, const PathText& text,
               TableRow& cells) {
    cells.number(site.touched / mebibyte);
    if (const double bytes = site.page_bytes(); bytes > 0)
        cells.number(bytes / kibibyte);
    else
        cells.blank();
    if (const SitePlacement::Share& first = site.main_toucher(); first.touched > 0) {
        cells.integer(SitePlacement::touchers(site.threads));
        cells.integer(first.number);
        cells.number(100 * first.touched / site.touched);
    } else {
        cells.blank();
        cells.blank();
        cells.blank();
    }
    cells.text(nodes_of_memory(site));
    cells.integer(SitePlacement::users(site.threads));
    cells.integer(SitePlacement::users(site.nodes));
    cells.integer(static_cast<std::uint64_t>(site.known_uses() + site.other_uses));
    const auto [low, high] = proportion_95(site.far_uses, site.known_uses());
    if (site.known_uses() > 0) {
        cells.number(100 * site.far_share());
        cells.number(100 * (high - low) / 2);
    } else {
        cells.blank();
        cells.blank();
    }
    cells.text(site.site ? place_text(profile, *site.site) : "");
    write_place(profile, site.path, text, cells);
}

}  // namespace

void write_placement_table(const Profile& profile, const PathText& text,
                           const ReportOptions& options, TableOutput& out) {
    static constexpr Column nodes_column = {
        .id = "nodes", .header = "On nodes", .align = Align::left, .keeps_width = true};
    static constexpr Column place_column = {
        .id = "place", .header = "Line", .align = Align::left, .keeps_width = true};
    static constexpr Column columns[] = {number_column("touched", "Touched[MiB]", "MiB", 3),
                                         number_column("page", "Page[KiB]", "KiB", 0),
                                         count_column("touch_threads", "First by threads"),
                                         count_column("first_thread", "Most by thread"),
                                         percent_column("first_share", "%"),
                                         nodes_column,
                                         count_column("use_threads", "Used by threads"),
                                         count_column("use_nodes", "On nodes"),
                                         count_column("uses", "Samples"),
                                         percent_column("far", "Far[%]"),
                                         percent_column("far_error", "+-[%]"),
                                         place_column,
                                         function_column,
                                         caller_column,
                                         stid_column,
                                         for_scripts(callpath_column)};
    const std::vector<SitePlacement> sites = site_placements(profile);
    if (sites.empty())
        return;
    const std::size_t shown = shown_rows(sites.size(), options, most_rows);
    const TableSpec spec = {.id = "placement",
                            .title = "Placement",
                            .row = "line",
                            .columns = columns,
                            .sorted_by = "touched"};
    out.table(spec, shown,
              [&](std::size_t i, TableRow& cells) { write_row(profile, sites[i], text, cells); });
    say_what_is_left_out(sites.size(), shown, out);
    out.print("Blocks of 1 MiB and more. Far: samples of threads that were about to access memory "
              "of another node.\n");
    const bool any_touched = std::any_of(sites.begin(), sites.end(), [](const SitePlacement& site) {
        return site.touches_seen > 0;
    });
    if (!any_touched)
        out.print("Who touched it first is not known: the system did not report page faults "
                  "(perf_event_paranoid), or all were before it was recorded.\n");
    out.print("\n");
}

}  // namespace vftrace
