#include "commands/waits_of_traces.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "commands/export_source.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "commands/progress.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

// True for "heat_12.vfd" and "heat_".
bool is_trace_of(std::string_view name, std::string_view beginning) {
    constexpr std::string_view ending = ".vfd";
    if (!name.starts_with(beginning) || !name.ends_with(ending) ||
        name.size() <= beginning.size() + ending.size())
        return false;
    const std::string_view rank =
        name.substr(beginning.size(), name.size() - beginning.size() - ending.size());
    return rank.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

WaitAnalysis analyse_traces(const std::vector<std::string>& traces) {
    constexpr double steps = 1 << 16;
    Progress progress("analyze");
    WaitAnalysis analysis = analyse_waits(traces, [&](double done) {
        progress.update(static_cast<std::uint64_t>(done * steps),
                        static_cast<std::uint64_t>(steps));
    });
    for (const std::string& text : analysis.remarks)
        remark(text);
    return analysis;
}

std::string command_for_waits(const std::string& file, const Profile& profile) {
    constexpr std::string_view ending = "_all.json";
    const std::string json = profile_file(file);
    if (profile.ranks.size() < 2 || !profile.critical_path.empty() || !json.ends_with(ending))
        return {};
    const std::string common = json.substr(0, json.size() - ending.size() + 1);
    const std::string beginning = fs::path(common).filename().string();
    const fs::path folder = fs::path(json).parent_path();
    std::error_code error;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
         !error && entry != end; entry.increment(error))
        if (is_trace_of(entry->path().filename().string(), beginning))
            return fmt::format("vftrace report {} {}*.vfd", file, common);
    return {};
}

}  // namespace vftrace::tools
