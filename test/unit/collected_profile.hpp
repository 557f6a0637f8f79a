// The profile of a synthetic process, and helpers for examining it.
#pragma once

#include <catch2/catch.hpp>

#include <string>

#include "collate/collect.hpp"
#include "collation_job.hpp"
#include "process_builder.hpp"

namespace vftrace::test {

inline Profile collected(const ProcessBuilder& process, std::uint64_t end_ticks = 10'000) {
    Profile profile;
    collect_profile(profile, process.record, {.end_ticks = end_ticks});
    return profile;
}

inline void check_path(const Profile& profile, const std::string& name, std::uint64_t calls,
                       std::int64_t inclusive, std::int64_t exclusive) {
    INFO(name);
    const Path& path = path_named(profile, name);
    CHECK(path.calls == calls);
    CHECK(path.inclusive_ns == inclusive);
    CHECK(path.exclusive_ns == exclusive);
}

inline bool has_path(const Profile& profile, const std::string& name) {
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (path_name(profile, i) == name)
            return true;
    return false;
}

inline std::int64_t sum_of_exclusive(const Profile& profile) {
    std::int64_t sum = 0;
    for (const Path& path : profile.paths)
        if (!(path.flags & path_paused))
            sum += path.exclusive_ns;
    return sum;
}

}  // namespace vftrace::test
