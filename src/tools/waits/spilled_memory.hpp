// Memory for lists that can become long: everything beyond a limit is in a temporary file, which
// the kernel can evict from memory. For tools.
#pragma once

#include <cstddef>

namespace vftrace {

class SpilledMemory {
  public:
    // `most_bytes`: up to this number of bytes, ordinary memory is used.
    explicit SpilledMemory(std::size_t most_bytes) : most_bytes_(most_bytes) {}
    ~SpilledMemory();
    SpilledMemory(const SpilledMemory&) = delete;
    SpilledMemory& operator=(const SpilledMemory&) = delete;

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    // Keeps the contents. Throws std::runtime_error, with the reason in one line, if there is no
    // room.
    void grow(std::size_t bytes);

  private:
    void open_file();

    std::size_t most_bytes_, bytes_ = 0;
    void* data_ = nullptr;
    int file_ = -1;
};

}  // namespace vftrace
