// What differs between two profiles, by function or by call path. For tools.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/saturating.hpp"
#include "compare/compared_profile.hpp"

namespace vftrace {

enum class DifferenceBy { function, path };

struct DifferenceFigures {
    bool present = false;  // in this profile
    std::uint64_t calls = 0;
    std::int64_t exclusive_ns = 0;
    std::int64_t inclusive_ns = 0;  // of a function: of its outermost calls
    std::int64_t doubt_ns = 0;      // see ComparedPath
};

struct DifferenceRow {
    std::string function;
    std::string text;        // the function, or the path from its leaf
    std::uint32_t stid = 0;  // of one of its paths; from the first profile if it is there
    DifferenceFigures a, b;

    std::int64_t exclusive_ns() const { return difference(a.exclusive_ns, b.exclusive_ns); }
    std::int64_t inclusive_ns() const { return difference(a.inclusive_ns, b.inclusive_ns); }

    // What `b` may take before it is certain that it takes more than `a`.
    std::int64_t most_alike_ns() const {
        std::int64_t sum = a.exclusive_ns;
        add_saturating(sum, a.doubt_ns);
        add_saturating(sum, b.doubt_ns);
        return sum;
    }

  private:
    // Files may contain any numbers; the absolute value of the result fits into a number, too.
    static std::int64_t difference(std::int64_t a_ns, std::int64_t b_ns) {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        std::int64_t result = 0;
        if (__builtin_sub_overflow(b_ns, a_ns, &result) || result < -most)
            return b_ns < a_ns ? -most : most;
        return result;
    }
};

// All functions or paths of both, those whose exclusive time differs most first.
std::vector<DifferenceRow> profile_difference(const ComparedPair& pair, DifferenceBy by);

// What counts as slower.
struct SlowerThan {
    double percent;         // of the first profile's time
    std::int64_t least_ns;  // and by at least this
};

// For a time that is 0 in the first profile, any increase is more than any percentage.
bool is_slower(std::int64_t a_ns, std::int64_t b_ns, const SlowerThan& limit);

// By how many per cent of `a` `b` is larger; if `a` is 0: 0 or infinity.
double percent_more(double a, double b);

}  // namespace vftrace
