// A block of data in a page, compressed by zlib and encoded in base64.
#include "page/data_block.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/core.h>
#include <zlib.h>

namespace vftrace {
namespace {

class Base64 {
  public:
    explicit Base64(ExportOutput& output) : output_(output) {}

    void write(std::string_view bytes) {
        for (const char byte : bytes) {
            three_[held_++] = static_cast<unsigned char>(byte);
            if (held_ == 3)
                put();
        }
    }
    void finish() {
        if (held_ == 0)
            return;
        const std::size_t missing = 3 - held_;
        std::fill(three_.begin() + static_cast<std::ptrdiff_t>(held_), three_.end(), 0);
        put();
        text_.resize(text_.size() - missing);
        text_.append(missing, '=');
        flush();
    }
    void flush() {
        output_.write(text_);
        text_.clear();
    }

  private:
    void put() {
        static constexpr std::string_view digits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const unsigned bits = (three_[0] << 16U) | (three_[1] << 8U) | three_[2];
        for (const unsigned shift : {18U, 12U, 6U, 0U})
            text_ += digits[(bits >> shift) & 63U];
        held_ = 0;
    }

    ExportOutput& output_;
    std::array<unsigned, 3> three_{};
    std::size_t held_ = 0;
    std::string text_;
};

}  // namespace

void write_data_block(std::string_view bytes, unsigned number, ExportOutput& output) {
    output.write(
        fmt::format("<script type=\"application/octet-stream\" id=\"vftrace-data-{}\">", number));
    z_stream stream{};
    if (deflateInit(&stream, 6) != Z_OK)
        throw ExportError("zlib cannot be used");
    Base64 text(output);
    std::string piece(std::size_t{256} * 1024, '\0');
    constexpr std::size_t most_at_once = std::size_t{1} << 30;  // avail_in has 32 bits
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        const std::size_t now = std::min(bytes.size(), most_at_once);
        // zlib only reads the bytes.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream.avail_in = static_cast<uInt>(now);
        const int flush = now == bytes.size() ? Z_FINISH : Z_NO_FLUSH;
        do {
            stream.next_out = reinterpret_cast<Bytef*>(piece.data());
            stream.avail_out = static_cast<uInt>(piece.size());
            status = deflate(&stream, flush);
            text.write({piece.data(), piece.size() - stream.avail_out});
            text.flush();
        } while (stream.avail_out == 0);
        bytes.remove_prefix(now);
    }
    text.finish();
    deflateEnd(&stream);
    output.write("</script>\n");
}

}  // namespace vftrace
