#include "report/profile_files.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/links.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "config/rank_list.hpp"
#include "profile/profile_json.hpp"
#include "report/efficiency_tables.hpp"
#include "report/region_report.hpp"
#include "report/region_yaml.hpp"
#include "report/report_options.hpp"

namespace vftrace {
namespace {

void write_json(const Profile& profile, const Options& options, const std::string& path,
                NewFiles& files) {
    if (!options.json)
        return;
    OutputFile out(path, files);
    write_json_with_efficiencies(
        profile, options.efficiency_regions ? options.efficiency_regions->c_str() : nullptr, out);
    out.close();
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

// `name_in_folder`: used unless the user or GEOPM's variable sets a path.
void write_region_report(const Profile& profile, const Options& options,
                         const std::string& name_in_folder, NewFiles& files) {
    if (!options.region_report_active || !has_region_report(profile))
        return;
    std::string path;
    for (const std::string& other : {variable("GEOPM_REPORT"), options.region_report_file})
        if (!other.empty())
            path = other;
    std::string name = profile.run.application;
    for (const std::string& other : {variable("GEOPM_PROFILE"), options.region_report_profile})
        if (!other.empty())
            name = other;
    const bool is_elsewhere = !path.empty() && !files.are_confined();
    OutputFile out(is_elsewhere ? NewFile::create(path) : files.create(name_in_folder), files);
    RegionReportHead head = {.profile = name, .policy = variable("GEOPM_POLICY")};
    if (const std::string agent = variable("GEOPM_AGENT"); !agent.empty())
        head.agent = agent;
    write_region_yaml(profile, head, out);
    out.close();
}

}  // namespace

void write_json_with_efficiencies(const Profile& profile, const char* regions, OutputFile& out) {
    write_profile_json(profile, out,
                       [&](JsonWriter& json) { write_efficiencies_json(profile, regions, json); });
}

std::string claim_output_base(const std::string& base, const std::string& first_file,
                              std::int64_t start_unix_ns, const Writer& writer,
                              const OutputFolder& folder) {
    std::string own = base + format("%lld_", static_cast<long long>(writer.pid));
    if (keep_files_of_earlier_program(own, first_file, writer, folder))
        return own;
    keep_files_of_earlier_program(base, first_file, writer, folder);
    std::string path = base + first_file;
    int file =
        openat(folder.descriptor, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
        close(file);
        return base;
    }
    // In a folder, links are replaced, not followed.
    const std::optional<std::string> there =
        folder.descriptor == AT_FDCWD ? behind_links(path) : path;
    if (there)
        file = openat(folder.descriptor, there->c_str(),
                      O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return base;  // the writer will report the error
    // An old log is overwritten, as before; one younger than this process belongs to another run.
    // The lock and the new time make it ours before the next process looks.
    bool taken = false;
    struct stat information;
    if (flock(file, LOCK_EX) == 0 && fstat(file, &information) == 0 &&
        S_ISREG(information.st_mode)) {
        taken = static_cast<std::int64_t>(information.st_mtim.tv_sec) * 1'000'000'000 +
                    information.st_mtim.tv_nsec >
                start_unix_ns;
        if (!taken)
            futimens(file, nullptr);
    }
    close(file);
    return taken ? own : base;
}

void note_taken_names(std::vector<Notice>& notices, const std::string& base,
                      const std::string& first_file, const std::string& claimed) {
    if (claimed != base)
        add_notice(notices, {NoticeCode::names_taken, {base + first_file, claimed}});
}

void give_output_base_back(const std::string& base, const std::string& first_file,
                           const OutputFolder& folder) {
    const std::string path = base + first_file;
    struct stat information;
    if (fstatat(folder.descriptor, path.c_str(), &information, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(information.st_mode) && information.st_size == 0)
        unlinkat(folder.descriptor, path.c_str(), 0);
}

bool rank_log_wanted(const Options& options, std::uint32_t rank) {
    std::optional<RankList> ranks = RankList::parse(options.logfile_for_ranks);
    return ranks && ranks->contains(static_cast<int>(rank));
}

void write_run_files(const Profile& profile, const Options& options, const std::string& base,
                     NewFiles& files) {
    ReportOptions report = report_options(options);
    if (options.json)
        report.profile_file = shell_word(base + "all.json");
    write_all_logs(profile, report, base, files);
    write_json(profile, options, base + "all.json", files);
    write_region_report(profile, options, base + "all.report.yaml", files);
}

void write_rank_files(const Profile& profile, const Options& options, const std::string& base,
                      NewFiles& files) {
    write_rank_log(profile, report_options(options), base, files);
    write_json(profile, options, base + rank_text(profile.run) + ".json", files);
}

}  // namespace vftrace
