// Reads a JSON file into cJSON's tree, with errors that show the position in the text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cjson/cJSON.h"
#include "config/findings.hpp"

namespace vftrace {

struct JsonDeleter {
    void operator()(cJSON* tree) const { cJSON_Delete(tree); }
};
using JsonTree = std::unique_ptr<cJSON, JsonDeleter>;

// Appends a regular file of at most `largest` bytes to `text`. Returns an error text, or "".
std::string read_whole_file(const std::string& path, std::size_t largest, std::string& text);

// Reads and parses the file at `path`. On failure, returns nothing and adds an error.
JsonTree read_json_file(const std::string& path, Findings& findings);

// Parses a whole text. Returns nothing if it is not JSON; then `*error_position` is where the
// parser stopped.
JsonTree parse_json(std::string_view text, std::size_t* error_position);

// The message for a syntax error at text[position]: the line number, up to two lines before it and
// up to two after it.
std::string parse_error_text(std::string_view text, std::size_t position);

}  // namespace vftrace
