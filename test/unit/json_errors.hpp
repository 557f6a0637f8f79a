// What the reader of profiles says about a text that has been damaged.
#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "profile/profile_json_reader.hpp"

namespace vftrace::test {

inline std::string error_of(const std::string& text) {
    try {
        parse_profile_json(text);
    } catch (const ProfileFormatError& error) {
        return error.what();
    }
    return "no error";
}

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

}  // namespace vftrace::test
