#include "page/page_sources.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include <fmt/core.h>

#include "base/descriptor.hpp"
#include "page/columns.hpp"
#include "page/page_profile.hpp"

namespace vftrace {
namespace {

constexpr std::uintmax_t most_bytes_of_file = 1 << 20, most_bytes = 4 << 20;

// Files by the exclusive time of their functions, largest first.
std::vector<std::string> files_by_time(std::span<const Profile> profiles,
                                       const std::vector<std::vector<PageLine>>& lines) {
    std::map<std::string, std::int64_t> time;
    for (const Profile& profile : profiles)
        for (const Path& path : profile.paths)
            if (const std::string& file = profile.functions[path.function].file; !file.empty())
                time[file] += path.exclusive_ns;
    for (const std::vector<PageLine>& of_profile : lines)
        for (const PageLine& line : of_profile)
            time[line.file] += line.ns;
    std::vector<std::pair<std::int64_t, std::string>> sorted;
    for (const auto& [file, ns] : time)
        sorted.emplace_back(-ns, file);
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::string> files;
    for (auto& [ns, file] : sorted)
        files.push_back(std::move(file));
    return files;
}

// The name without symbolic links, "." and ".."; empty if there is no such file.
std::string resolved(const std::filesystem::path& name) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(name, error);
    return error ? std::string() : path.string();
}

bool is_below(const std::string& file, const std::string& folder) {
    return file.size() > folder.size() && file.starts_with(folder) &&
           (folder.ends_with('/') || file[folder.size()] == '/');
}

// The name under which the kernel knows an open file: another user may have replaced a part of the
// path since it was resolved.
std::string name_of_open(int descriptor) {
    std::error_code error;
    return std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), error)
        .string();
}

bool is_text(std::string_view contents) {
    return std::none_of(contents.begin(), contents.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ' && (c < '\t' || c > '\r');
    });
}

class SourceReader {
  public:
    SourceReader(const std::vector<std::string>& folders, std::int64_t start_unix_ns)
        : start_unix_ns_(start_unix_ns) {
        for (const std::string& folder : folders)
            if (std::string name = resolved(folder); !name.empty())
                folders_.push_back(std::move(name));
    }

    // Appends the contents of the file. Returns why it is left out, or nothing.
    std::string read(const std::string& name, std::vector<std::string>& texts) {
        const std::string path = find(name);
        if (path.empty())
            return "not found below the folders given with --sources";
        // Nonblocking, so that a pipe without a writer cannot hang the command.
        const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        if (!file.is_open())
            return std::strerror(errno);
        struct stat information;
        if (fstat(file, &information) != 0 || !S_ISREG(information.st_mode) ||
            name_of_open(file) != path)
            return "not a regular file";
        const auto bytes = static_cast<std::size_t>(information.st_size);
        if (bytes > most_bytes_of_file)
            return "larger than 1 MiB";
        if (sum_ + bytes > most_bytes)
            return "beyond the limit of 4 MiB for all files";
        std::string text(bytes, '\0');
        int error;
        text.resize(read_at(file, 0, text.data(), bytes, error));
        if (error != 0)
            return std::strerror(error);
        if (text.empty() || !is_text(text))
            return "not text";
        sum_ += text.size();
        constexpr std::int64_t ns_per_s = 1'000'000'000;
        const timespec written = information.st_mtim;
        if (start_unix_ns_ > 0 &&
            std::int64_t{written.tv_sec} * ns_per_s + written.tv_nsec > start_unix_ns_)
            changed_.push_back(name);
        texts.push_back(std::move(text));
        return {};
    }

    // Files that were written after the first run had started, so that they may not be what was
    // compiled for it.
    std::vector<std::string> changed() && { return std::move(changed_); }

  private:
    std::string find(const std::string& name) const {
        for (const std::string& folder : folders_) {
            const std::string path = resolved(std::filesystem::path(folder) / name);
            if (is_below(path, folder))
                return path;
        }
        return {};
    }

    std::vector<std::string> folders_;  // resolved
    std::vector<std::string> changed_;
    std::int64_t start_unix_ns_;  // 0: not known
    std::uintmax_t sum_ = 0;
};

// When the first of the runs started; 0: not known.
std::int64_t first_start(std::span<const Profile> profiles) {
    std::int64_t start = 0;
    for (const Profile& profile : profiles)
        if (const std::int64_t own = profile.run.start_unix_ns; own > 0)
            start = start == 0 ? own : std::min(start, own);
    return start;
}

}  // namespace

PageSources page_sources(std::span<const Profile> profiles,
                         const std::vector<std::vector<PageLine>>& lines,
                         const std::vector<std::string>& folders) {
    PageSources result;
    std::vector<std::string> names, texts;
    SourceReader reader(folders, first_start(profiles));
    for (const std::string& file : files_by_time(profiles, lines))
        if (std::string why = reader.read(file, texts); why.empty())
            names.push_back(file);
        else
            result.left_out.push_back({file, std::move(why)});
    result.changed = std::move(reader).changed();
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
