#include "code/source_places.hpp"

#include <sys/stat.h>

#include <fmt/core.h>

#include "symbol/debug_file.hpp"

namespace vftrace {
namespace {

// Without a date, no file is.
bool is_newer(const std::string& path, std::int64_t unix_ns) {
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    struct stat status;
    return unix_ns > 0 && stat(path.c_str(), &status) == 0 &&
           std::int64_t{status.st_mtim.tv_sec} * ns_per_s + status.st_mtim.tv_nsec > unix_ns;
}

bool has_debug_information(const ElfFile& file) {
    return file.find_section(".debug_info") || file.find_section(".zdebug_info");
}

}  // namespace

bool SourcePlaces::read(Elf* elf) {
    debug_ = read_debug_places(elf);
    return debug_ != nullptr;
}

bool SourcePlaces::open(const std::string& path, const std::string& build_id,
                        std::int64_t run_start_unix_ns) {
    debug_.reset();
    problem_.clear();
    if (!can_read_debug_information()) {
        problem_ = "source lines need libdw.so.1 (Debian: libdw1)";
        return false;
    }
    file_ = std::make_unique<ElfFile>(path, ElfAccess::map);
    const std::string found = file_->get() ? file_->build_id() : "";
    const bool is_another =
        build_id.empty() ? is_newer(path, run_start_unix_ns) : found != build_id;
    if (file_->get() && !is_another) {
        if (has_debug_information(*file_) && read(file_->get()))
            return true;
        debug_file_ = std::make_unique<ElfFile>(find_debug_file(*file_, path), ElfAccess::map);
        if (debug_file_->get() && read(debug_file_->get()))
            return true;
        problem_ = fmt::format("{} does not have debug information: {}", path, how_to_get_lines);
        return false;
    }
    // The file is gone; its debug information may still be there.
    debug_file_ = std::make_unique<ElfFile>(debug_file_of(build_id), ElfAccess::map);
    if (debug_file_->get() && debug_file_->build_id() == build_id && read(debug_file_->get()))
        return true;
    problem_ = is_another && file_->get()
                   ? fmt::format("{} has changed since the run: its lines are not shown (run the "
                                 "program again, or put the file of the run back)",
                                 path)
                   : fmt::format("{}: {}", path, file_->error());
    return false;
}

}  // namespace vftrace
