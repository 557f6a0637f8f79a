// One look over a JSON text before cJSON parses it, for the two things that cJSON cannot do: keep
// integers exact above 2^53, and say where in the text a value stands. Code of the tools.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

struct ScannedJson {
    // The text with every integer of 16 and more digits made a string: 9007199254740993 ->
    // "9007199254740993".
    std::string text;
    // The object that follows the key `config` of the outermost object, as it stands in the
    // original text; empty if there is none.
    std::string_view config;
};

// Never fails: what is no JSON stays none, and cJSON says so.
ScannedJson scan_json(std::string_view text);

}  // namespace vftrace
