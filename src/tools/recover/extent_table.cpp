#include "recover/extent_table.hpp"

#include <algorithm>
#include <iterator>

namespace vftrace {

void ExtentTable::fill(const ProcessRecord& record, std::uint64_t file_bytes,
                       FunctionRef<bool(std::uint64_t, FileExtent&)> read) {
    extents_.clear();
    const std::size_t count =
        std::min<std::uint64_t>(record.extent_count, file_bytes / sizeof(FileExtent));
    extents_.reserve(count);
    for (std::size_t i = 0; i < count; i++) {
        FileExtent extent{};
        if (i < std::size(record.first_extents)) {
            extent = record.first_extents[i];
        } else {
            const std::size_t further = i - std::size(record.first_extents);
            const std::size_t page = further / ProcessRecord::extents_per_page;
            if (page >= ProcessRecord::max_extent_pages)
                break;
            const std::uint64_t start = record.extent_pages[page];
            const std::size_t place =
                further % ProcessRecord::extents_per_page * sizeof(FileExtent);
            if (start >= file_bytes || !read(start + place, extent))
                continue;
        }
        if (extent.offset >= file_bytes || extent.address > ~std::uint64_t{0} - extent.bytes)
            continue;
        extent.bytes = std::min<std::uint64_t>(extent.bytes, file_bytes - extent.offset);
        if (extent.bytes > 0)
            extents_.push_back(extent);
    }
    // If addresses were reused, the later extent counts: see at().
    std::stable_sort(
        extents_.begin(), extents_.end(),
        [](const FileExtent& a, const FileExtent& b) { return a.address < b.address; });
}

const FileExtent* ExtentTable::at(std::uint64_t address) const {
    auto above = std::upper_bound(
        extents_.begin(), extents_.end(), address,
        [](std::uint64_t wanted, const FileExtent& extent) { return wanted < extent.address; });
    if (above == extents_.begin())
        return nullptr;
    const FileExtent& extent = *(above - 1);
    return address - extent.address < extent.bytes ? &extent : nullptr;
}

}  // namespace vftrace
