#include "vfd/vfd_output.hpp"

#include <algorithm>
#include <cstring>

namespace vftrace {

VfdOutput::VfdOutput(const std::string& name, const OutputFolder& folder)
    : file_(NewFiles(folder, false).create(name)), buffer_(buffer_bytes) {}

void VfdOutput::write(const void* data, std::size_t bytes) {
    const auto* from = static_cast<const char*>(data);
    while (bytes > 0 && error() == 0) {
        const std::size_t piece = std::min(bytes, buffer_.size() - used_);
        std::memcpy(buffer_.data() + used_, from, piece);
        used_ += piece;
        from += piece;
        bytes -= piece;
        if (used_ == buffer_.size())
            flush();
    }
}

void VfdOutput::put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    write(text);
}

void VfdOutput::put_text_with_nul(std::string_view text) {
    put(static_cast<std::int32_t>(text.size() + 1));
    write(text);
    put('\0');
}

void VfdOutput::flush() {
    file_->write_at(written_, buffer_.data(), used_);
    written_ += used_;
    used_ = 0;
}

void VfdOutput::patch(std::uint64_t offset, const void* data, std::size_t bytes) {
    flush();
    file_->write_at(offset, static_cast<const char*>(data), bytes);
}

bool VfdOutput::publish() {
    flush();
    return file_->publish() == 0;
}

}  // namespace vftrace
