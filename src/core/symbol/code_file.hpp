// Where the symbols of a loaded program or library can be read: in the file that was loaded, which
// may no longer be the one that its path leads to.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/loaded_module.hpp"

namespace vftrace {

// Whether the file at `path` is the one with this identity. Also true if the identity is not known.
bool is_file(const std::string& path, const FileId& id);

// How /proc shows this process.
inline constexpr const char* own_process_folder = "/proc/self";

// Finds the files of the modules of one process. Each is looked for once, as soon as it is needed.
class CodeFiles {
  public:
    // process_folder: where /proc shows the process as long as it exists ("/proc/self"), so that
    // files that were replaced or removed can still be read; "" for one that has ended.
    CodeFiles(const ModuleTable& modules, std::string process_folder)
        : modules_(modules), process_folder_(std::move(process_folder)) {}

    // A path by which the file of a module can be read: its own, that of the file as the process
    // has mapped it, or that of its debug file in the system's folder. "" if there is none.
    const std::string& path(std::uint16_t module);
    bool was_looked_for(std::uint16_t module) const {
        return module < found_.size() && found_[module].is_known;
    }

    // The same for a file that is known by its path and build ID, as in a profile. A file without a
    // build ID is found only if this process has loaded it, or by its path.
    std::string path(const std::string& path, std::string_view build_id);

    // Sets what path() returns for a module whose file the caller has found.
    void set_path(std::uint16_t module, std::string path) {
        found(module) = {true, std::move(path)};
    }

    // The paths of modules that were requested, but whose files no longer exist.
    std::vector<std::string> missing() const;

    const ModuleTable& modules() const { return modules_; }

  private:
    struct Found {
        bool is_known = false;
        std::string path;
    };
    Found& found(std::uint16_t module);
    std::string find(const LoadedModule& module) const;
    std::string mapped_file(const LoadedModule& module) const;

    const ModuleTable& modules_;
    std::string process_folder_;
    std::vector<Found> found_;  // by module
};

}  // namespace vftrace
