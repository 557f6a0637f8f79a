// The views of a profile: each makes one or a few tables that belong together. Logs show some of
// them, by default or on request by an option; `vftrace report` shows any of them.
#pragma once

#include <span>
#include <string_view>

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// On the report page: the view's tables as they are, or something that the viewer draws itself, or
// nothing.
enum class OnPage : bool { other, tables };

struct View {
    // The id of the view's file if each view has one: "<base>all_<id>.log". Empty: it is in the log
    // itself.
    std::string_view file;
    // `vftrace report --<option>` prints all views with this option, and nothing else; empty: there
    // is no such option.
    std::string_view option;
    OnPage on_page;
    // Whether the profile has something to show.
    bool (*exists)(const Profile&);
    // Whether logs show it, if it exists.
    bool (*is_in_log)(const Profile&, const ReportOptions&, LogScope);
    void (*write)(const Profile&, const PathText&, const ReportOptions&, LogScope, TableOutput&);
};

// In the order of the log.
std::span<const View> views();

}  // namespace vftrace
