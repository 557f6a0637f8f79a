#include "commands/profile_file.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/core.h>

#include "commands/commands.hpp"
#include "config/json_file.hpp"
#include "readers/profile_json_reader.hpp"
#include "report/profile_files.hpp"
#include "report/summary.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

// When the run of a text log began, as written in the log; std::nullopt if the file is not such a
// log.
std::optional<std::string> start_date_of_log(const std::string& path) {
    constexpr std::string_view start = "Start Date: ";
    if (!path.ends_with(".log") || fs::is_directory(path))
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    std::string line;
    std::getline(file, line);
    if (!line.starts_with("vftrace ") && !line.starts_with("Vftrace "))
        return std::nullopt;
    for (int i = 0; i < 3 && std::getline(file, line); i++)
        if (line.starts_with(start))
            return line.substr(start.size());
    return std::nullopt;
}

// "heat_all.log", "heat_all_mpi.log", "heat_3.log" -> "heat_all.json": all ranks share one.
std::string name_of_json(const std::string& log) {
    std::string stem = fs::path(log).stem().string();
    if (const std::size_t all = stem.rfind("_all"); all != std::string::npos)
        stem.resize(all);
    else if (const std::size_t rank = stem.find_last_of('_'); rank != std::string::npos)
        stem.resize(rank);
    return (fs::path(log).parent_path() / (stem + "_all.json")).string();
}

bool is_of_one_rank(const std::string& log) {
    return fs::path(log).stem().string().rfind("_all") == std::string::npos;
}

struct FoundProfile {
    std::string path;
    std::optional<std::string> start_date;  // if a text log was named
};

FoundProfile find_profile(const std::string& path) {
    const std::optional<std::string> start_date = start_date_of_log(path);
    if (!start_date)
        return {path, start_date};
    const std::string json = name_of_json(path);
    std::error_code ignored;
    const bool exists = fs::is_regular_file(json, ignored);
    if (is_of_one_rank(path))
        throw CommandError(fmt::format("{}: this is the text log of one rank; the profile of all "
                                       "ranks is {}{}",
                                       path, json, exists ? "" : ", which does not exist"));
    if (!exists)
        throw CommandError(fmt::format("{}: this is a text log; the profile that belongs to it is "
                                       "{}, which does not exist (the option json writes it)",
                                       path, json));
    return {json, start_date};
}

}  // namespace

std::string profile_file(const std::string& path) { return find_profile(path).path; }

Profile read_profile(const std::string& path) {
    const FoundProfile found = find_profile(path);
    Profile profile = read_profile_json(found.path);
    if (found.start_date && *found.start_date != local_date(profile.run.start_unix_ns))
        throw CommandError(fmt::format("{}: this is a text log, but {} next to it is the profile "
                                       "of another run, which began on {}",
                                       path, found.path, local_date(profile.run.start_unix_ns)));
    return profile;
}

std::optional<std::string> option_of_run(const Profile& profile, const char* section,
                                         const char* key) {
    std::size_t error_position = 0;
    const JsonTree config = parse_json(profile.run.config_text, &error_position);
    const cJSON* options = cJSON_GetObjectItemCaseSensitive(config.get(), section);
    const cJSON* value = cJSON_GetObjectItemCaseSensitive(options, key);
    if (!cJSON_IsString(value))
        return {};
    return value->valuestring;
}

void write_profile(const Profile& profile, const std::string& path) {
    const std::optional<std::string> regions = option_of_run(profile, "efficiency", "regions");
    OutputFile out(path);
    write_json_with_efficiencies(profile, regions ? regions->c_str() : nullptr, out);
    if (const int error = out.close())
        throw CommandError(fmt::format("{}: {}", path, std::strerror(error)));
}

}  // namespace vftrace::tools
