// Time in the functions that allocate memory.
#include <string_view>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.1;

// As symbols, including internal functions of glibc that samples hit.
constexpr std::string_view functions[] = {"malloc",
                                          "free",
                                          "calloc",
                                          "realloc",
                                          "posix_memalign",
                                          "aligned_alloc",
                                          "_int_malloc",
                                          "_int_free",
                                          "malloc_consolidate",
                                          "unlink_chunk.constprop.0",
                                          "_Znwm",
                                          "_Znam",
                                          "_ZdlPv",
                                          "_ZdaPv",
                                          "_ZdlPvm",
                                          "_ZdaPvm",
                                          "__libc_malloc",
                                          "__libc_free",
                                          "cfree"};

}  // namespace

// These functions have rows in sampled programs, and if they are compiled with hooks.
void find_allocation(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const auto [seconds, calls, longest] = run.time_in(functions);
    if (longest == no_index || !(run.exclusive_s > 0))
        return;
    const double share = seconds / run.exclusive_s, saved = share * run.elapsed_s;
    if (!run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    finding.path = longest;
    finding.sentence =
        format("Allocating and freeing memory takes %s of the time, most of that in %s.",
               percent_text(share).c_str(), run.place(longest).c_str());
    finding.reason = calls > 0 ? format("There are %s such calls.", count_text(calls).c_str())
                               : "This is the share of samples in these functions.";
    finding.confidence = Confidence::likely;
    finding.next_step = "Reuse buffers instead of allocating them anew, or try another allocator "
                        "(LD_PRELOAD of jemalloc or tcmalloc).";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
