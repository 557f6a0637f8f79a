#include "compare/function_sums.hpp"

#include "profile/outermost.hpp"
#include "report/rows.hpp"

namespace vftrace {

std::map<std::string, FunctionSum> function_sums(const Profile& profile) {
    std::map<std::string, FunctionSum> sums;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        if (is_paused(profile, i))
            continue;
        const Path& path = profile.paths[i];
        FunctionSum& sum = sums[profile.functions[path.function].display];
        sum.own_seconds += seconds(path.exclusive_ns);
        sum.error_seconds += seconds(path.exclusive_error_ns);
        sum.calls += path.calls;
        sum.exact_calls &= has_exact_calls(path);
        if (is_outermost(profile, i))
            sum.total_seconds += seconds(path.inclusive_ns);
    }
    return sums;
}

}  // namespace vftrace
