// The file that a vfd is written to: with large writes, and parts that are filled in later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/new_file.hpp"

namespace vftrace {

class VfdOutput {
  public:
    // `name`: of a new file (base/new_file.hpp). After the first error, which error() returns,
    // nothing more is written. Without publish() no file remains.
    explicit VfdOutput(const std::string& name, const OutputFolder& folder = {});
    VfdOutput(const VfdOutput&) = delete;
    VfdOutput& operator=(const VfdOutput&) = delete;

    void write(const void* data, std::size_t bytes);
    template <class Object>
    void put(const Object& object) {
        write(&object, sizeof object);
    }
    void write(std::string_view text) { write(text.data(), text.size()); }
    // Writes a std::uint32_t length and the bytes; with the NUL, as in the texts of version 3.
    void put_text(std::string_view text);
    void put_text_with_nul(std::string_view text);

    // The position of the next byte.
    std::uint64_t position() const { return written_ + used_; }
    // Overwrites bytes that have already been written.
    void patch(std::uint64_t offset, const void* data, std::size_t bytes);

    // Gives the file its name. Returns false if this, or anything before it, failed.
    bool publish();
    // errno of the first failure, 0 if none.
    int error() const { return file_->error(); }

  private:
    void flush();

    static constexpr std::size_t buffer_bytes = 1 << 20;
    std::unique_ptr<NewFile> file_;
    std::vector<char> buffer_;
    std::size_t used_ = 0;
    std::uint64_t written_ = 0;
};

}  // namespace vftrace
