#include "symbol/code_file.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel_files.hpp"
#include "base/text.hpp"
#include "symbol/debug_file.hpp"
#include "symbol/elf_file.hpp"
#include "symbol/kernel_code.hpp"

namespace vftrace {
namespace {

bool has_build_id(const std::string& path, std::string_view build_id) {
    const ElfFile file(path);
    return file.get() && file.build_id() == build_id;
}

// While a program runs, nobody can write to its file, so its number alone identifies it.
bool is_running_file(const std::string& path, const FileId& id) {
    struct stat status;
    if (id.build_id_bytes != 0)
        return has_build_id(path, build_id_text(id));
    return stat(path.c_str(), &status) == 0 && status.st_ino == id.inode;
}

}  // namespace

bool is_file(const std::string& path, const FileId& id) {
    if (!is_known(id) || path == kernel_code_name)
        return true;
    if (id.build_id_bytes != 0)
        return has_build_id(path, build_id_text(id));
    struct stat status;
    FileId found{};
    if (stat(path.c_str(), &status) != 0)
        return false;
    set_file_status(found, status);
    return found.inode == id.inode && found.bytes == id.bytes &&
           found.changed_unix_ns == id.changed_unix_ns;
}

CodeFiles::Found& CodeFiles::found(std::uint16_t module) {
    if (found_.size() <= module)
        found_.resize(module + std::size_t{1});
    return found_[module];
}

const std::string& CodeFiles::path(std::uint16_t module) {
    Found& found = this->found(module);
    if (!found.is_known) {
        found.path = find(modules_.modules[module]);
        found.is_known = true;
    }
    return found.path;
}

std::string CodeFiles::path(const std::string& path, std::string_view build_id) {
    for (std::uint16_t i = 0; i < modules_.count; i++)
        if (path == modules_.modules[i].path &&
            (build_id.empty() || build_id == build_id_text(modules_.modules[i].id)))
            return this->path(i);
    return build_id.empty() || has_build_id(path, build_id) ? path : std::string();
}

std::string CodeFiles::find(const LoadedModule& module) const {
    if (is_file(module.path, module.id))
        return module.path;
    if (!process_folder_.empty()) {
        std::string executable = process_folder_ + "/exe";
        if (is_running_file(executable, module.id))
            return executable;
        std::string mapped = mapped_file(module);
        if (!mapped.empty() && is_file(mapped, module.id))
            return mapped;
    }
    std::string debug_file = debug_file_of(build_id_text(module.id));
    return !debug_file.empty() && has_build_id(debug_file, build_id_text(module.id)) ? debug_file
                                                                                     : "";
}

// The link to the file as it was mapped, which only processes with certain rights may follow.
std::string CodeFiles::mapped_file(const LoadedModule& module) const {
    if (!module.loaded)
        return {};
    constexpr std::size_t most_bytes = 32 << 20, piece = 64 << 10;
    const SystemCallFile file((process_folder_ + "/maps").c_str());
    std::string maps = "\n";
    for (std::size_t read = 1; read > 0 && maps.size() < most_bytes;) {
        const std::size_t before = maps.size();
        maps.resize(before + piece);
        read = file.read({maps.data() + before, piece});
        maps.resize(before + read);
    }
    const std::string start = format("\n%08jx-", std::uintmax_t{module.start});
    const std::size_t at = maps.find(start);
    if (at == maps.npos)
        return {};
    const std::size_t end = at + start.size();
    return format("%s/map_files/%jx-%s", process_folder_.c_str(), std::uintmax_t{module.start},
                  maps.substr(end, maps.find(' ', end) - end).c_str());
}

std::vector<std::string> CodeFiles::missing() const {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < found_.size(); i++)
        // A file that may not be read was never readable.
        if (found_[i].is_known && found_[i].path.empty() && is_known(modules_.modules[i].id) &&
            (access(modules_.modules[i].path, R_OK) == 0 || errno != EACCES))
            paths.emplace_back(modules_.modules[i].path);
    return paths;
}

}  // namespace vftrace
