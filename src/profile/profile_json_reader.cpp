// Reads a profile back from JSON. Nothing in the file is trusted: whatever is wrong with it becomes
// one ProfileFormatError.
#include "profile/profile_json_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "cjson/cJSON.h"
#include "profile/json_scan.hpp"
#include "profile/profile_json_words.hpp"

namespace vftrace {
namespace {

// An object of the document together with its place in it ("nodes[7]"), for messages. The place is
// put together only when something is wrong.
class Object {
  public:
    Object(const cJSON* json, const Object* outer, const char* name,
           std::size_t index = no_position)
        : json_(json), outer_(outer), name_(name), index_(index) {
        if (!cJSON_IsObject(json))
            throw ProfileFormatError(place("") + ": must be an object");
    }

    // The member `key`; nullptr if there is none or it is null.
    const cJSON* find(const char* key) const {
        const cJSON* member = cJSON_GetObjectItemCaseSensitive(json_, key);
        return cJSON_IsNull(member) ? nullptr : member;
    }
    const cJSON* get(const char* key) const {
        const cJSON* member = find(key);
        if (!member)
            fail(key, "is missing");
        return member;
    }
    [[noreturn]] void fail(const char* key, std::string_view problem) const {
        throw ProfileFormatError(fmt::format("{}: {}", place(key), problem));
    }

    std::string string(const char* key) const { return to_string(key, get(key)); }
    std::string optional_string(const char* key) const {
        const cJSON* member = find(key);
        return member ? to_string(key, member) : std::string();
    }
    template <class Integer>
    Integer integer(const char* key) const {
        return to_integer<Integer>(key, get(key));
    }
    template <class Integer>
    Integer optional_integer(const char* key, Integer absent) const {
        const cJSON* member = find(key);
        return member ? to_integer<Integer>(key, member) : absent;
    }
    std::uint64_t hexadecimal(const char* key) const;
    // An integer below `size`.
    std::uint32_t index(const char* key, std::size_t size) const;
    template <class Value, std::size_t size>
    Value word(const char* key, const profile_json::Word<Value> (&words)[size]) const {
        return to_word(key, get(key), words);
    }

    // Calls `handle(element, position)` for every element of the array `key`.
    template <class Handle>
    void for_each(const char* key, Handle handle) const {
        const cJSON* array = get(key);
        if (!cJSON_IsArray(array))
            fail(key, "must be an array");
        std::size_t position = 0;
        for (const cJSON* element = array->child; element; element = element->next)
            handle(element, position++);
    }
    template <class Handle>
    void for_each_object(const char* key, Handle handle) const {
        for_each(key, [&](const cJSON* element, std::size_t position) {
            handle(Object(element, this, key, position));
        });
    }

    std::string to_string(const char* key, const cJSON* value) const {
        if (!cJSON_IsString(value))
            fail(key, "must be a string");
        return value->valuestring;
    }
    template <class Integer>
    Integer to_integer(const char* key, const cJSON* value) const;
    template <class Value, std::size_t size>
    Value to_word(const char* key, const cJSON* value,
                  const profile_json::Word<Value> (&words)[size]) const {
        const std::string text = to_string(key, value);
        for (const auto& [known, word] : words)
            if (word == text)
                return known;
        fail(key, "is a word that this version does not know");
    }

  private:
    static constexpr std::size_t no_position = std::numeric_limits<std::size_t>::max();

    std::string place(std::string_view key) const {
        std::string text = outer_ ? outer_->place(name_) : name_;
        if (index_ != no_position)
            text += fmt::format("[{}]", index_);
        if (text.empty() || key.empty())
            return text.empty() ? std::string(key.empty() ? "the document" : key) : text;
        return fmt::format("{}.{}", text, key);
    }

    const cJSON* json_;
    const Object* outer_;
    const char* name_;
    std::size_t index_;
};

template <class Integer>
Integer Object::to_integer(const char* key, const cJSON* value) const {
    using limits = std::numeric_limits<Integer>;
    if (cJSON_IsString(value)) {  // scan_json() has made one of a long integer
        const char* end = value->valuestring + std::strlen(value->valuestring);
        Integer result{};
        auto [rest, error] = std::from_chars(value->valuestring, end, result);
        if (error != std::errc() || rest != end)
            fail(key, "must be an integer that is not too large");
        return result;
    }
    if (!cJSON_IsNumber(value) || std::floor(value->valuedouble) != value->valuedouble)
        fail(key, "must be an integer");
    // max + 1 is exact in a double for all of these types, max is not.
    if (value->valuedouble < static_cast<double>(limits::min()) ||
        value->valuedouble >= std::ldexp(1.0, limits::digits))
        fail(key, "must be an integer that is not too large");
    return static_cast<Integer>(value->valuedouble);
}

std::uint64_t Object::hexadecimal(const char* key) const {
    const std::string text = string(key);
    std::uint64_t result = 0;
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), result, 16);
    if (error != std::errc() || rest != text.data() + text.size())
        fail(key, "must be a hexadecimal number of at most 64 bits");
    return result;
}

std::uint32_t Object::index(const char* key, std::size_t size) const {
    const auto result = integer<std::uint32_t>(key);
    if (result >= size)
        fail(key, size == 0 ? std::string("refers to an empty list")
                            : fmt::format("must be at most {}", size - 1));
    return result;
}

RunInfo read_run(const Object& json) {
    RunInfo run;
    run.application = json.string("application");
    run.command_line = json.string("command_line");
    run.host = json.string("host");
    run.pid = json.integer<std::int64_t>("pid");
    run.rank = json.integer<std::uint32_t>("rank");
    run.ranks = json.integer<std::uint32_t>("ranks");
    run.threads = json.integer<std::uint32_t>("threads");
    run.start_unix_ns = json.integer<std::int64_t>("start_unix_ns");
    run.end_unix_ns = json.integer<std::int64_t>("end_unix_ns");
    run.runtime_ns = json.integer<std::int64_t>("runtime_ns");
    run.paused_ns = json.integer<std::int64_t>("paused_ns");
    json.for_each_object("overhead", [&](const Object& item) {
        run.overhead.push_back({item.string("label"), item.integer<std::int64_t>("time_ns")});
    });
    run.memory_bytes = json.integer<std::uint64_t>("memory_bytes");
    json.for_each("warnings", [&](const cJSON* warning, std::size_t) {
        run.warnings.push_back(json.to_string("warnings", warning));
    });
    run.config_source = json.string("config_source");
    return run;
}

Function read_function(const Object& json, std::size_t modules) {
    Function function;
    function.kind = json.word("kind", profile_json::function_kinds);
    function.name = json.string("name");
    function.display = json.string("display");
    function.symbol = json.optional_string("symbol");
    function.demangled = json.optional_string("demangled");
    if (json.find("module"))
        function.module = json.index("module", modules);
    if (json.find("offset"))
        function.offset = json.hexadecimal("offset");
    function.file = json.optional_string("file");
    function.line = json.optional_integer<std::uint32_t>("line", 0);
    return function;
}

Path read_path(const Object& json, std::size_t position, std::size_t functions) {
    Path path;
    if (json.integer<std::uint32_t>("id") != position)
        json.fail("id", "must be the position in the list");
    if (position > 0)
        path.parent = json.index("parent", position);
    else if (json.find("parent"))
        json.fail("parent", "must be null for the first one");
    path.function = json.index("function", functions);
    path.stid = json.integer<std::uint32_t>("stid");
    path.hash = json.hexadecimal("hash");
    path.calls = json.integer<std::uint64_t>("calls");
    path.inclusive_ns = json.integer<std::int64_t>("inclusive_ns");
    path.exclusive_ns = json.integer<std::int64_t>("exclusive_ns");
    path.overhead_ns = json.integer<std::int64_t>("overhead_ns");
    if (json.find("flags"))
        json.for_each("flags", [&](const cJSON* flag, std::size_t) {
            path.flags |= json.to_word("flags", flag, profile_json::path_flags);
        });
    return path;
}

void read_metric_values(const Object& json, std::uint32_t path, Profile& profile) {
    json.for_each("metrics", [&](const cJSON* pair, std::size_t) {
        if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2)
            json.fail("metrics", "must be pairs of a metric and its value");
        const cJSON* number = pair->child->next;
        const auto metric = json.to_integer<std::uint32_t>("metrics", pair->child);
        if (metric >= profile.metrics.size())
            json.fail("metrics", "name a metric that is not in the list");
        double value = std::numeric_limits<double>::quiet_NaN();  // is written as null
        if (cJSON_IsNumber(number))
            value = number->valuedouble;
        else if (cJSON_IsString(number))
            value = static_cast<double>(json.to_integer<std::int64_t>("metrics", number));
        else if (!cJSON_IsNull(number))
            json.fail("metrics", "must be pairs of a metric and its value");
        profile.metric_values.push_back({path, metric, value});
    });
}

Profile read_document(const Object& json) {
    const cJSON* format = json.find("format");
    if (!cJSON_IsString(format) || format->valuestring != profile_json::format_name)
        throw ProfileFormatError("this is JSON, but no profile of vftrace");
    if (const int found = json.integer<std::int32_t>("version");
        found != profile_json::format_version)
        throw ProfileFormatError(fmt::format("this file has version {} of the format, but this "
                                             "program reads version {}",
                                             found, profile_json::format_version));
    Profile profile;
    profile.run = read_run(Object(json.get("run"), &json, "run"));
    json.for_each_object("modules", [&](const Object& module) {
        profile.modules.push_back({module.string("path"), module.optional_string("build_id")});
    });
    json.for_each_object("functions", [&](const Object& function) {
        profile.functions.push_back(read_function(function, profile.modules.size()));
    });
    json.for_each_object("metrics", [&](const Object& metric) {
        profile.metrics.push_back({metric.string("name"), metric.string("unit"),
                                   metric.word("reduction", profile_json::reductions)});
    });
    json.for_each_object("nodes", [&](const Object& node) {
        const std::size_t position = profile.paths.size();
        if (position >= no_index)
            json.fail("nodes", "are more than this program can number");
        profile.paths.push_back(read_path(node, position, profile.functions.size()));
        if (node.find("metrics"))
            read_metric_values(node, static_cast<std::uint32_t>(position), profile);
    });
    return profile;
}

}  // namespace

Profile parse_profile_json(std::string_view text) {
    ScannedJson scanned = scan_json(text);
    const char* stopped_at = nullptr;
    std::unique_ptr<cJSON, decltype(&cJSON_Delete)> document(
        cJSON_ParseWithLengthOpts(scanned.text.data(), scanned.text.size(), &stopped_at, false),
        &cJSON_Delete);
    const char* begin = scanned.text.data();
    // What follows a complete document, such as a second one, is an error too.
    if (document) {
        const std::size_t rest =
            scanned.text.find_first_not_of(" \t\r\n", static_cast<std::size_t>(stopped_at - begin));
        stopped_at = rest == std::string::npos ? nullptr : begin + rest;
    }
    if (!document || stopped_at)
        throw ProfileFormatError(fmt::format("this is no valid JSON: there is an error in line {}",
                                             1 + std::count(begin, stopped_at, '\n')));
    Profile profile = read_document(Object(document.get(), nullptr, ""));
    profile.run.config_text = scanned.config;
    return profile;
}

Profile read_profile_json(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (file.is_open() && std::filesystem::is_directory(path))
        errno = EISDIR;  // can be opened, but reading throws
    std::string text;
    if (errno == 0)
        text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open() || file.bad() || errno != 0)
        throw ProfileFormatError(fmt::format("{}: {}", path, std::strerror(errno ? errno : EIO)));
    try {
        return parse_profile_json(text);
    } catch (const ProfileFormatError& error) {
        throw ProfileFormatError(fmt::format("{}: {}", path, error.what()));
    }
}

}  // namespace vftrace
