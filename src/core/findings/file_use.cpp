#include "findings/file_use.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

const Function& function_of(const Profile& profile, std::uint32_t path) {
    return profile.functions[profile.paths[path].function];
}

// The nearest MPI call around a path.
std::uint32_t mpi_call_around(const Profile& profile, std::uint32_t path) {
    for (std::uint32_t at = path; at != no_index; at = profile.paths[at].parent)
        if (function_of(profile, at).kind == NodeKind::mpi)
            return at;
    return no_index;
}

}  // namespace

std::vector<FileUse> file_uses(const Profile& profile) {
    const std::vector<IoOperation> operations = io_operations(profile);
    std::vector<FileUse> uses;
    for (const FileCalls& calls : profile.file_calls) {
        if (calls.kind != FileKind::file)
            continue;
        const std::uint32_t mpi = mpi_call_around(profile, calls.path);
        if (mpi != no_index && function_of(profile, mpi).name.find("File_") == std::string::npos)
            continue;  // shared memory, settings
        if (const FileFigures* const file = figures_of_file(profile, calls))
            uses.push_back({&calls, file, operations[profile.paths[calls.path].function], mpi});
    }
    return uses;
}

std::vector<UsesOfFile> uses_by_file(const Profile& profile, const std::vector<FileUse>& uses) {
    std::vector<UsesOfFile> files;
    std::vector<std::uint32_t> place_of(profile.files.size(), no_index);
    for (const FileUse& use : uses) {
        std::uint32_t& place = place_of[static_cast<std::size_t>(use.file - profile.files.data())];
        if (place == no_index) {
            place = static_cast<std::uint32_t>(files.size());
            files.push_back({use.file, {}});
        }
        files[place].uses.push_back(&use);
    }
    return files;
}

WritingSums sums_of_writing(const UsesOfFile& file) {
    WritingSums sums;
    for (const FileUse* use : file.uses) {
        if (use->calls->written == 0)
            continue;
        sums.calls += use->timed();
        sums.bytes += static_cast<double>(use->calls->written);
        sums.placed += static_cast<double>(use->calls->placed);
        sums.unaligned += static_cast<double>(use->calls->unaligned);
        sums.seconds += use->seconds();
        if (!sums.longest || use->seconds() > sums.longest->seconds())
            sums.longest = use;
    }
    return sums;
}

std::string file_name(const FileFigures& file) {
    return printable(std::string(base_name(file.file)));
}

}  // namespace vftrace
