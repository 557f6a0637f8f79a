// Numbers and texts as bytes that mean the same on every rank, independent of compiler, padding and
// byte order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace vftrace {

class ByteWriter {
  public:
    void byte(std::uint8_t value) {
        *room(1) = static_cast<char>(value);
        used_++;
    }

    // Seven bits per byte, lowest first: small numbers, which are the most common, take one byte.
    void number(std::uint64_t value) {
        char* const begin = room(longest_number);
        char* end = begin;
        for (; value >= 0x80; value >>= 7)
            *end++ = static_cast<char>(value | 0x80);
        *end++ = static_cast<char>(value);
        used_ += static_cast<std::size_t>(end - begin);
    }

    // Numbers near zero are short whatever their sign.
    void signed_number(std::int64_t value) {
        number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    }

    void real(double value) {
        std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
        char* bytes = room(8);
        for (int i = 0; i < 8; i++)
            bytes[i] = static_cast<char>(bits >> 8 * i);
        used_ += 8;
    }

    void text(std::string_view value) {
        number(value.size());
        std::copy(value.begin(), value.end(), room(value.size()));
        used_ += value.size();
    }

    void bytes(std::span<const char> value) {
        std::copy(value.begin(), value.end(), room(value.size()));
        used_ += value.size();
    }

    std::span<const char> written() const { return {bytes_.data(), used_}; }

    // The writer is empty afterwards.
    std::vector<char> take() {
        bytes_.resize(used_);
        used_ = 0;
        return std::move(bytes_);
    }

  private:
    static constexpr std::size_t longest_number = 10;

    // Where the next bytes go, with space for at least `bytes` of them.
    char* room(std::size_t bytes) {
        if (bytes_.size() - used_ < bytes) [[unlikely]]
            grow(bytes);
        return bytes_.data() + used_;
    }

    // A separate function, so that code that writes many small numbers stays small.
    [[gnu::noinline]] void grow(std::size_t bytes) {
        bytes_.resize(bytes_.size() + bytes_.size() / 2 + bytes + 4096);
    }

    std::vector<char> bytes_;  // larger than what is used: one comparison per number, not per byte
    std::size_t used_ = 0;
};

// Reads what a ByteWriter wrote. Data that do not fit make the reader fail: everything read from
// then on is 0 or empty, so it is enough to check failed() when a decision depends on a value.
class ByteReader {
  public:
    explicit ByteReader(std::span<const char> bytes) : bytes_(bytes) {}

    bool failed() const { return failed_; }
    bool complete() const { return !failed_ && bytes_.empty(); }
    void fail() {
        failed_ = true;
        bytes_ = {};
    }

    std::uint8_t byte() {
        if (bytes_.empty()) {
            fail();
            return 0;
        }
        std::uint8_t value = static_cast<std::uint8_t>(bytes_[0]);
        bytes_ = bytes_.subspan(1);
        return value;
    }

    std::uint64_t number() {
        if (!bytes_.empty() && static_cast<std::uint8_t>(bytes_[0]) < 0x80)
            return byte();
        std::uint64_t value = 0;
        std::size_t used = 0;
        for (int shift = 0; shift < 64 && used < bytes_.size(); shift += 7) {
            const auto next = static_cast<std::uint8_t>(bytes_[used++]);
            if (shift == 63 && next > 1)
                break;
            value |= std::uint64_t{next & 0x7fu} << shift;
            if (next < 0x80) {
                bytes_ = bytes_.subspan(used);
                return value;
            }
        }
        fail();
        return 0;
    }

    std::uint32_t number32() { return static_cast<std::uint32_t>(number_up_to(0xffffffff)); }

    // A number that must not be larger than `largest`.
    std::uint64_t number_up_to(std::uint64_t largest) {
        std::uint64_t value = number();
        if (value <= largest)
            return value;
        fail();
        return 0;
    }

    // An index into something with `size` elements.
    std::uint32_t index(std::size_t size) {
        std::uint32_t value = number32();
        if (value < size)
            return value;
        fail();
        return 0;
    }

    // The number of records that follow, of at least `least_bytes` each. Never more than the
    // remaining bytes can hold, so that memory can safely be reserved for them.
    std::uint32_t count(std::size_t least_bytes) {
        std::uint32_t value = number32();
        if (value <= bytes_.size() / least_bytes)
            return value;
        fail();
        return 0;
    }

    std::int64_t signed_number() {
        std::uint64_t value = number();
        return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
    }

    double real() {
        if (bytes_.size() < 8) {
            fail();
            return 0;
        }
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < 8; i++)
            bits |= std::uint64_t{static_cast<std::uint8_t>(bytes_[i])} << 8 * i;
        bytes_ = bytes_.subspan(8);
        return std::bit_cast<double>(bits);
    }

    // Points into the bytes that are read, and is valid as long as they are.
    std::string_view text() {
        std::uint64_t size = number();
        if (size > bytes_.size()) {
            fail();
            return {};
        }
        std::string_view value(bytes_.data(), static_cast<std::size_t>(size));
        bytes_ = bytes_.subspan(value.size());
        return value;
    }

  private:
    std::span<const char> bytes_;
    bool failed_ = false;
};

}  // namespace vftrace
