#include "readers/json_document.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/core.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "readers/json_object.hpp"

namespace vftrace {
namespace {

using rapidjson::SizeType;

// Passes everything to the document, and records the position of the configuration in the text.
class ConfigFinder {
  public:
    ConfigFinder(rapidjson::Document& document, const rapidjson::MemoryStream& stream,
                 std::string_view text, std::string_view& config)
        : document_(document), stream_(stream), text_(text), config_(config) {}

    bool Null() { return document_.Null(); }
    bool Bool(bool value) { return document_.Bool(value); }
    bool Int(int value) { return document_.Int(value); }
    bool Uint(unsigned value) { return document_.Uint(value); }
    bool Int64(std::int64_t value) { return document_.Int64(value); }
    bool Uint64(std::uint64_t value) { return document_.Uint64(value); }
    bool Double(double value) { return document_.Double(value); }
    bool RawNumber(const char* text, SizeType length, bool copy) {
        return document_.RawNumber(text, length, copy);
    }
    bool String(const char* text, SizeType length, bool copy) {
        return document_.String(text, length, copy);
    }
    bool Key(const char* text, SizeType length, bool copy) {
        if (depth_ == 1)
            is_config_ = std::string_view(text, length) == "config";
        return document_.Key(text, length, copy);
    }
    // The position of the stream is that of the bracket.
    bool StartObject() {
        if (depth_++ == 1 && is_config_)
            begin_ = stream_.Tell();
        return document_.StartObject();
    }
    bool EndObject(SizeType members) {
        if (--depth_ == 1 && is_config_ && config_.empty())
            config_ = text_.substr(begin_, stream_.Tell() + 1 - begin_);
        return document_.EndObject(members);
    }
    bool StartArray() {
        depth_++;
        return document_.StartArray();
    }
    bool EndArray(SizeType elements) {
        depth_--;
        return document_.EndArray(elements);
    }

  private:
    rapidjson::Document& document_;
    const rapidjson::MemoryStream& stream_;
    std::string_view text_;
    std::string_view& config_;
    std::size_t depth_ = 0, begin_ = 0;
    bool is_config_ = false;  // whether the member being read is `config`
};

}  // namespace

JsonDocument::JsonDocument(std::string_view text) {
    // Without recursion, because the text may be nested as deep as it is long.
    constexpr unsigned flags = rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag;
    if (constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
        text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::Reader reader;
    rapidjson::ParseResult result;
    const auto parse = [&](rapidjson::Document& document) {
        ConfigFinder finder(document, stream, text, config);
        result = reader.Parse<flags>(stream, finder);
        return !result.IsError();
    };
    root.Populate(parse);
    // A NUL ends the text for the parser.
    const std::size_t end = result.IsError() ? result.Offset() : stream.Tell();
    if (result.IsError() || end < text.size())
        throw ProfileFormatError(fmt::format(
            "is not valid JSON: error in line {}",
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n')));
}

std::string text_of_file(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (file.is_open() && std::filesystem::is_directory(path))
        errno = EISDIR;  // a directory can be opened, but reading it throws
    std::string text;
    if (errno == 0)
        text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open() || file.bad() || errno != 0)
        throw ProfileFormatError(fmt::format("{}: {}", path, std::strerror(errno ? errno : EIO)));
    return text;
}

}  // namespace vftrace
