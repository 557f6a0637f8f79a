#include "profile/file_access.hpp"

#include <algorithm>
#include <tuple>

#include "profile/rank_rows.hpp"

namespace vftrace {
namespace {

constexpr MetricMember<RankBytes> rank_members[] = {
    {MetricId::files_all_read, &RankBytes::read},
    {MetricId::files_all_written, &RankBytes::written},
    {MetricId::files_read_outside, &RankBytes::read_outside},
    {MetricId::files_written_outside, &RankBytes::written_outside},
    {MetricId::files_own_read, &RankBytes::own_read},
    {MetricId::files_own_written, &RankBytes::own_written},
    {MetricId::io_rchar, &RankBytes::kernel_read},
    {MetricId::io_wchar, &RankBytes::kernel_written}};

// Numbers of the kernel (linux/magic.h, and those of Lustre, GPFS and BeeGFS, which are not part of
// it).
struct FileSystemRow {
    std::uint64_t number;
    std::string_view name;
};
constexpr FileSystemRow file_systems[] = {
    {0xef53, "ext4"},        {0x58465342, "xfs"},      {0x9123683e, "btrfs"},
    {0x01021994, "tmpfs"},   {0x6969, "nfs"},          {0x0bd00bd0, "lustre"},
    {0x47504653, "gpfs"},    {0x19830326, "beegfs"},   {0x9fa0, "proc"},
    {0x62656572, "sysfs"},   {0x794c7630, "overlay"},  {0x65735546, "fuse"},
    {0xfe534d42, "smb"},     {0x00c36400, "ceph"},     {0x2fc12fc1, "zfs"},
    {0x958458f6, "hugetlb"}, {0x73717368, "squashfs"}, {0x01021997, "9p"},
    {0x1cd1, "devpts"}};

}  // namespace

std::vector<IoOperation> io_operations(const Profile& profile) {
    std::vector<IoOperation> operations;
    operations.reserve(profile.functions.size());
    for (const Function& function : profile.functions)
        operations.push_back(function.kind == NodeKind::io ? io_operation(function.name)
                                                           : IoOperation::metadata);
    return operations;
}

const FileFigures* figures_of_file(const Profile& profile, const FileCalls& calls) {
    const auto key = [](const auto& row) { return std::tie(row.file, row.kind); };
    const auto found =
        std::lower_bound(profile.files.begin(), profile.files.end(), calls,
                         [&](const FileFigures& a, const FileCalls& b) { return key(a) < key(b); });
    return found != profile.files.end() && key(*found) == key(calls) ? &*found : nullptr;
}

std::vector<FileAccess> file_accesses(const Profile& profile) {
    const std::vector<IoOperation> operations = io_operations(profile);
    std::vector<FileAccess> files;
    files.reserve(profile.files.size());
    for (const FileFigures& file : profile.files)
        files.push_back({&file});
    for (const FileCalls& calls : profile.file_calls) {
        const FileFigures* const figures = figures_of_file(profile, calls);
        if (!figures)
            continue;
        const IoOperation operation = operations[profile.paths[calls.path].function];
        FileAccess& file = files[static_cast<std::size_t>(figures - profile.files.data())];
        file.buffered += calls.buffered;
        if (operation == IoOperation::copy) {
            file.reads += calls.read > 0 ? calls.calls : 0;
            file.writes += calls.written > 0 ? calls.calls : 0;
        } else {
            (operation == IoOperation::open    ? file.opens
             : operation == IoOperation::read  ? file.reads
             : operation == IoOperation::write ? file.writes
             : operation == IoOperation::map   ? file.maps
                                               : file.metadata) += calls.calls;
        }
        (moves_bytes(operation) ? file.data_ns : file.metadata_ns) += calls.ns;
    }
    std::stable_sort(files.begin(), files.end(), [](const FileAccess& a, const FileAccess& b) {
        return a.data_ns + a.metadata_ns > b.data_ns + b.metadata_ns;
    });
    return files;
}

std::vector<RankBytes> rank_bytes(const Profile& profile) {
    return rank_rows(profile, rank_members);
}

std::string_view file_system_name(std::uint64_t number) {
    const auto* const row =
        std::find_if(std::begin(file_systems), std::end(file_systems),
                     [&](const FileSystemRow& known) { return known.number == number; });
    return row == std::end(file_systems) ? "" : row->name;
}

}  // namespace vftrace
