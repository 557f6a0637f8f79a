// Reads a part of a vfd file from front to back. Reading beyond its end throws a VfdError that
// names the file, the part and the byte. For tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vftrace {

// An open vfd file. `path` is for messages and must outlive the objects created from this.
struct VfdInput {
    int descriptor;
    const std::string& path;
    std::uint64_t bytes;  // of the file
};

// A range of bytes of the file.
struct VfdExtent {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t bytes() const { return end - begin; }
};

class VfdCursor {
  public:
    static constexpr std::size_t small_buffer = 64 * 1024, large_buffer = 1024 * 1024;

    // `part` is its name in messages: "stack table". The extent must lie in the file.
    VfdCursor(const VfdInput& input, VfdExtent extent, const char* part,
              std::size_t buffer_bytes = small_buffer);

    // The position in the file.
    std::uint64_t position() const { return read_until_ - (filled_ - next_); }
    // The number of bytes up to the end of the part.
    std::uint64_t left() const { return extent_.end - position(); }

    // The next bytes, without advancing; valid until the next call.
    const char* peek(std::size_t bytes) {
        if (filled_ - next_ < bytes)
            fill(bytes);
        return buffer_.data() + next_;
    }
    const char* take(std::size_t bytes) {
        const char* found = peek(bytes);
        next_ += bytes;
        return found;
    }
    template <class T>
    T take() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
    template <class T>
    T peek_at(std::size_t offset) {
        T value;
        std::memcpy(&value, peek(offset + sizeof value) + offset, sizeof value);
        return value;
    }
    void skip(std::uint64_t bytes);
    // A packed number: 7 bits per byte, the lowest first (record/packed_words.hpp).
    std::uint64_t take_number() {
        std::uint64_t number = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(*take(1));
            if (shift > 63 || (shift == 63 && byte > 1))
                fail("a number of more than 64 bits");
            number |= std::uint64_t{byte & 127u} << shift;
            if (byte < 128)
                return number;
        }
    }

    // A text as in the tables of version 3: std::int32_t length including the NUL, bytes. Length 0:
    // no text.
    std::string take_text_with_nul();
    // A text as in the extension: std::uint32_t length, bytes.
    std::string take_counted_text();
    std::string take_text(std::uint64_t bytes) { return std::string(take_bytes(bytes)); }

    // Throws VfdError: "FILE: the PART is damaged at byte N: WHY".
    [[noreturn]] void fail(std::string_view why) const { fail_at(position(), why); }
    [[noreturn]] void fail_at(std::uint64_t place, std::string_view why) const;

  private:
    std::string_view take_bytes(std::uint64_t bytes);
    void fill(std::size_t bytes);

    VfdInput input_;
    VfdExtent extent_;
    const char* part_;
    std::uint64_t read_until_;  // the position in the file after the buffer
    std::size_t next_ = 0, filled_ = 0;
    std::vector<char> buffer_;
};

}  // namespace vftrace
