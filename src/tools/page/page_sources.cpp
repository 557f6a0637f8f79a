#include "page/page_sources.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sys/stat.h>
#include <utility>

#include "page/columns.hpp"
#include "page/page_profile.hpp"

namespace vftrace {
namespace {

constexpr std::uintmax_t most_bytes_of_file = 1 << 20, most_bytes = 4 << 20;

// Files by the exclusive time of their functions, largest first.
std::vector<std::string> files_by_time(std::span<const Profile> profiles) {
    std::map<std::string, std::int64_t> time;
    for (const Profile& profile : profiles)
        for (const Path& path : profile.paths)
            if (const std::string& file = profile.functions[path.function].file; !file.empty())
                time[file] += path.exclusive_ns;
    std::vector<std::pair<std::int64_t, std::string>> sorted;
    for (const auto& [file, ns] : time)
        sorted.emplace_back(-ns, file);
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::string> files;
    for (auto& [ns, file] : sorted)
        files.push_back(std::move(file));
    return files;
}

// Whether a file was written after the first run had started, so that it may not be what was
// compiled for it.
bool has_changed(const std::string& file, std::span<const Profile> profiles) {
    struct stat status;
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    std::int64_t start = 0;
    for (const Profile& profile : profiles)
        if (const std::int64_t own = profile.run.start_unix_ns; own > 0)
            start = start == 0 ? own : std::min(start, own);
    return start != 0 && stat(file.c_str(), &status) == 0 &&
           std::int64_t{status.st_mtim.tv_sec} * ns_per_s + status.st_mtim.tv_nsec > start;
}

}  // namespace

PageSources page_sources(std::span<const Profile> profiles) {
    PageSources result;
    std::vector<std::string> names, texts;
    std::uintmax_t sum = 0;
    for (const std::string& file : files_by_time(profiles)) {
        std::error_code error;
        const std::uintmax_t bytes = std::filesystem::is_regular_file(file, error)
                                         ? std::filesystem::file_size(file, error)
                                         : 0;
        std::ifstream in(file, std::ios::binary);
        if (error || bytes == 0 || bytes > most_bytes_of_file || !in) {
            result.missing.push_back(file);
            continue;
        }
        if (sum + bytes > most_bytes)
            break;
        sum += bytes;
        if (has_changed(file, profiles))
            result.changed.push_back(file);
        names.push_back(file);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    if (names.empty())
        return result;
    PageColumns columns;
    columns.texts("files", "name", names.size(),
                  [&](std::size_t i) -> std::string_view { return names[i]; });
    columns.texts("files", "text", texts.size(),
                  [&](std::size_t i) -> std::string_view { return texts[i]; });
    result.block = page_block(R"({"format":1,"kind":"sources"})", columns);
    return result;
}

}  // namespace vftrace
