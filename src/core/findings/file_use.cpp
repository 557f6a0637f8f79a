#include "findings/file_use.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

// The nearest MPI call around a path.
std::uint32_t mpi_call_around(const RunFacts& run, std::uint32_t path) {
    for (std::uint32_t at = path; at != no_index; at = run.profile.paths[at].parent)
        if (run.kind(at) == NodeKind::mpi)
            return at;
    return no_index;
}

const FileFigures* figures_of_file(const Profile& profile, const FileCalls& calls) {
    const auto key = [](const auto& row) { return std::tie(row.file, row.kind); };
    const auto found =
        std::lower_bound(profile.files.begin(), profile.files.end(), calls,
                         [&](const FileFigures& a, const FileCalls& b) { return key(a) < key(b); });
    return found != profile.files.end() && key(*found) == key(calls) ? &*found : nullptr;
}

}  // namespace

std::vector<FileUse> file_uses(const RunFacts& run) {
    const std::vector<IoOperation> operations = io_operations(run.profile);
    std::vector<FileUse> uses;
    for (const FileCalls& calls : run.profile.file_calls) {
        if (calls.kind != FileKind::file)
            continue;
        const std::uint32_t mpi = mpi_call_around(run, calls.path);
        if (mpi != no_index && run.name(mpi).find("File_") == std::string::npos)
            continue;  // shared memory, settings
        if (const FileFigures* const file = figures_of_file(run.profile, calls))
            uses.push_back({&calls, file, operations[run.profile.paths[calls.path].function], mpi});
    }
    return uses;
}

const FileUse& UsesOfFile::longest() const {
    return **std::max_element(uses.begin(), uses.end(), [](const FileUse* a, const FileUse* b) {
        return a->calls->ns < b->calls->ns;
    });
}

double UsesOfFile::seconds() const {
    double sum = 0;
    for (const FileUse* use : uses)
        sum += use->seconds();
    return sum;
}

std::vector<UsesOfFile> uses_by_file(const std::vector<FileUse>& uses) {
    std::vector<UsesOfFile> files;
    for (const FileUse& use : uses) {
        auto found = std::find_if(files.begin(), files.end(),
                                  [&](const UsesOfFile& file) { return file.file == use.file; });
        if (found == files.end())
            found = files.insert(files.end(), {use.file, {}});
        found->uses.push_back(&use);
    }
    return files;
}

std::string file_name(const FileFigures& file) {
    return printable(std::string(base_name(file.file)));
}

}  // namespace vftrace
