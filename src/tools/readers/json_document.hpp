// A JSON text as a document in memory, by RapidJSON. For tools: it throws exceptions.
#pragma once

#include <string>
#include <string_view>

#include <rapidjson/document.h>

namespace vftrace {

using JsonValue = rapidjson::Value;

struct JsonDocument {
    // Throws ProfileFormatError (readers/json_object.hpp) if the text is not valid JSON; text after
    // a complete document is an error, too. Integers of 64 bits are exact.
    explicit JsonDocument(std::string_view text);

    rapidjson::Document root;
    // The object `config` of the outermost object, as in the text; empty if there is
    // none.
    std::string_view config;
};

// The contents of a file. Throws ProfileFormatError, with a text that begins with the path, if it
// cannot be read.
std::string text_of_file(const std::string& path);

}  // namespace vftrace
