// Maps addresses of the process to positions in its tree file.
#pragma once

#include <cstdint>
#include <vector>

#include "base/function_ref.hpp"
#include "record/process_record.hpp"

namespace vftrace {

class ExtentTable {
  public:
    // Reads the pieces from the head of a file of `file_bytes` bytes and cuts them to the file's
    // size; the head is not trusted. read(offset, extent) copies an extent from a position in the
    // file, or returns false.
    void fill(const ProcessRecord& record, std::uint64_t file_bytes,
              FunctionRef<bool(std::uint64_t, FileExtent&)> read);

    // The piece that contains an address; nullptr if there is none.
    const FileExtent* at(std::uint64_t address) const;

  private:
    std::vector<FileExtent> extents_;  // in ascending order of addresses
};

}  // namespace vftrace
