#include "lifecycle/patterns.hpp"

#include "base/message.hpp"

namespace vftrace {
namespace {

struct WatchedPattern {
    const char *option, *pattern;
    FunctionSet* functions;
    LaterLibraries later;
    bool matched_at_start;
};
WatchedPattern watched[3];
unsigned count;

}  // namespace

void watch_pattern(const char* option, const char* pattern, FunctionSet& functions,
                   LaterLibraries later) {
    if (count < sizeof watched / sizeof watched[0])
        watched[count++] = {option, pattern, &functions, later, !functions.empty()};
}

void report_unmatched_patterns(const char* application) {
    for (unsigned i = 0; i < count; i++) {
        const WatchedPattern& pattern = watched[i];
        if (pattern.matched_at_start)
            continue;
        pattern.functions->add_loaded_files();
        if (pattern.functions->empty())
            message_of(Speaker::job,
                       "%s: \"%.200s\" does not match any function of %s or its libraries",
                       pattern.option, pattern.pattern, application);
        else if (pattern.later == LaterLibraries::left_alone)
            message_of(Speaker::job,
                       "%s: \"%.200s\" matches only functions of libraries that %s opened later, "
                       "which were recorded anyway",
                       pattern.option, pattern.pattern, application);
    }
}

}  // namespace vftrace
