#include "report/kept_profile.hpp"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/notice.hpp"

namespace vftrace {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000, times_longer = 10;

// The run time in a profile, which is in its first part; -1 if it is not found.
std::int64_t runtime_of(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -1;
    struct stat information;
    std::string text;
    if (fstat(file, &information) == 0 && S_ISREG(information.st_mode) &&
        information.st_uid == geteuid()) {
        text.resize(1 << 16);
        const ssize_t bytes = read(file, text.data(), text.size());
        text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    }
    close(file);
    constexpr std::string_view key = "\"runtime_ns\":";
    std::size_t at = text.find(key);
    if (at == std::string::npos)
        return -1;
    at = text.find_first_not_of(' ', at + key.size());
    std::int64_t ns = -1;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && ns < (INT64_MAX - 9) / 10;
         at++)
        ns = std::max<std::int64_t>(ns, 0) * 10 + (text[at] - '0');
    return ns;
}

}  // namespace

void keep_longer_profile(Profile& profile, const std::string& base) {
    const std::string json = base + "all.json", log = base + "all.log";
    const std::int64_t earlier = runtime_of(json);
    if (earlier < second_ns || earlier / times_longer <= profile.run.runtime_ns)
        return;
    if (std::rename(json.c_str(), (json + ".1").c_str()) != 0)
        return;
    struct stat information;
    // Without an old log, the name is only reserved.
    if (lstat(log.c_str(), &information) == 0 && information.st_size > 0)
        std::rename(log.c_str(), (log + ".1").c_str());
    add_notice(profile.run.notices, {NoticeCode::longer_profile_kept,
                                     {json + ".1", static_cast<std::uint64_t>(earlier)}});
}

}  // namespace vftrace
