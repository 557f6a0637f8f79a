#include "readers/vfd_cursor.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

#include <fmt/core.h>

#include "readers/vfd_reader.hpp"

namespace vftrace {

VfdCursor::VfdCursor(const VfdInput& input, VfdExtent extent, const char* part,
                     std::size_t buffer_bytes)
    : input_(input), extent_(extent), part_(part), read_until_(extent.begin),
      buffer_(static_cast<std::size_t>(std::min<std::uint64_t>(buffer_bytes, extent.bytes()))) {}

void VfdCursor::fail_at(std::uint64_t place, std::string_view why) const {
    throw VfdError(
        fmt::format("{}: the {} is damaged at byte {}: {}", input_.path, part_, place, why));
}

void VfdCursor::fill(std::size_t bytes) {
    if (bytes > left())
        fail("it ends too early");
    std::memmove(buffer_.data(), buffer_.data() + next_, filled_ - next_);
    filled_ -= next_;
    next_ = 0;
    if (buffer_.size() < bytes)
        buffer_.resize(bytes);
    while (filled_ < bytes) {
        const std::size_t wanted = static_cast<std::size_t>(
            std::min<std::uint64_t>(buffer_.size() - filled_, extent_.end - read_until_));
        const ssize_t got = pread(input_.descriptor, buffer_.data() + filled_, wanted,
                                  static_cast<off_t>(read_until_));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw VfdError(fmt::format("{}: {}", input_.path, std::strerror(errno)));
        if (got == 0)
            throw VfdError(fmt::format("{}: was truncated while it was read", input_.path));
        filled_ += static_cast<std::size_t>(got);
        read_until_ += static_cast<std::uint64_t>(got);
    }
}

void VfdCursor::skip(std::uint64_t bytes) {
    if (bytes > left())
        fail("it ends too early");
    const std::uint64_t buffered = std::min<std::uint64_t>(bytes, filled_ - next_);
    next_ += static_cast<std::size_t>(buffered);
    if (bytes > buffered) {  // the buffer is empty
        read_until_ += bytes - buffered;
        next_ = filled_ = 0;
    }
}

std::string_view VfdCursor::take_bytes(std::uint64_t bytes) {
    // Checked before memory is reserved for the text.
    if (bytes > left())
        fail(fmt::format("a text of {} bytes, but it has only {} more", bytes, left()));
    const std::size_t size = static_cast<std::size_t>(bytes);
    return {take(size), size};
}

std::string VfdCursor::take_text_with_nul() {
    const std::uint64_t place = position();
    const std::int32_t bytes = take<std::int32_t>();
    if (bytes < 0)
        fail_at(place, fmt::format("a text of {} bytes", bytes));
    if (bytes == 0)
        return {};
    const std::string_view text = take_bytes(static_cast<std::uint64_t>(bytes));
    if (text.find('\0') != text.size() - 1)
        fail_at(place, "a text does not end where it should");
    return std::string(text.substr(0, text.size() - 1));
}

std::string VfdCursor::take_counted_text() { return take_text(take<std::uint32_t>()); }

}  // namespace vftrace
