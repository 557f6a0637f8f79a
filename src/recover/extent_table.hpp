// Maps addresses of the process to positions in its tree file.
#pragma once

#include <cstdint>
#include <vector>

#include "base/function_ref.hpp"
#include "record/process_record.hpp"

namespace vftrace {

class ExtentTable {
  public:
    // Takes the pieces from the head of a file of this many bytes, cut to that; nothing of the head
    // is trusted. read(offset, extent) copies what lies at a place in the file, or returns false.
    void fill(const ProcessRecord& record, std::uint64_t file_bytes,
              FunctionRef<bool(std::uint64_t, FileExtent&)> read);

    // The piece that an address lies in; nullptr if there is none.
    const FileExtent* at(std::uint64_t address) const;

  private:
    std::vector<FileExtent> extents_;  // in ascending order of addresses
};

}  // namespace vftrace
