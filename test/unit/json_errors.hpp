// The JSON text of a profile, and the reader's errors about texts that have been damaged.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "profile/profile_json.hpp"
#include "readers/profile_json_reader.hpp"

namespace vftrace::test {

inline std::string json_of(const Profile& profile) {
    char path[] = "/tmp/vftrace_json_XXXXXX";
    ::close(mkstemp(path));
    REQUIRE(write_profile_json(profile, path) == 0);
    std::ifstream in(path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    unlink(path);
    return text;
}

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
