#include "base/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <unistd.h>

#include "base/size_limit.hpp"
#include "base/text.hpp"

namespace vftrace {

OutputFile::OutputFile(const std::string& path) : file_(NewFile::create(path)) {
    buffer_.reserve(buffer_size);
}

OutputFile::OutputFile(const std::string& path, NewFiles& together)
    : OutputFile(together.create(path), together) {}

OutputFile::OutputFile(std::unique_ptr<NewFile> file, NewFiles& together)
    : file_(std::move(file)), together_(&together) {
    buffer_.reserve(buffer_size);
}

OutputFile::OutputFile(int descriptor) : descriptor_(descriptor) { buffer_.reserve(buffer_size); }

OutputFile::~OutputFile() {
    if (descriptor_ >= 0)
        close();
}

void OutputFile::write(std::string_view text) {
    if (keeps_trailing_blanks_)
        return append(text);
    while (!text.empty()) {
        const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
        pending_blanks_ += blanks;
        text.remove_prefix(blanks);
        if (text.empty())
            return;
        if (text.front() != '\n')
            append(std::string(pending_blanks_, ' '));
        pending_blanks_ = 0;
        const std::string_view piece = text.substr(0, text.find(' '));
        append(piece);
        text.remove_prefix(piece.size());
    }
}

void OutputFile::append(std::string_view text) {
    while (!text.empty()) {
        std::string_view piece = text.substr(0, buffer_size - buffer_.size());
        buffer_.append(piece);
        text.remove_prefix(piece.size());
        if (buffer_.size() == buffer_size)
            flush();
    }
}

void OutputFile::print(const char* pattern, ...) {
    std::string text;
    std::va_list arguments;
    va_start(arguments, pattern);
    append_format_v(text, pattern, arguments);
    va_end(arguments);
    write(text);
}

void OutputFile::flush() {
    if (text_)
        text_->append(buffer_);
    else if (file_)
        file_->append(buffer_);
    else
        write_to_descriptor(buffer_);
    buffer_.clear();
}

void OutputFile::write_to_descriptor(std::string_view rest) {
    while (!rest.empty() && error_ == 0 && descriptor_ >= 0) {
        const ssize_t written =
            write_within_limit([&] { return ::write(descriptor_, rest.data(), rest.size()); });
        if (written > 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (written == 0 || errno != EINTR)
            error_ = written == 0 ? EIO : errno;
    }
}

int OutputFile::close() {
    flush();
    descriptor_ = -1;
    if (!file_)
        return error_;
    if (together_) {
        error_ = file_->finish();
        together_->add(std::move(file_));
    } else {
        error_ = file_->publish();
        file_.reset();
    }
    return error_;
}

}  // namespace vftrace
