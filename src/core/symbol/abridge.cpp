#include "symbol/abridge.hpp"

#include <array>
#include <cstdint>

#include "symbol/cxx_scan.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

constexpr std::string_view dots = "...";
constexpr std::size_t deepest = 63;  // brackets further inside count as if they were at this depth

// Calls visit(begin, end, depth) for the pieces of a text: how many brackets are around them. The
// brackets themselves are outside. Mistaken brackets (comparisons) shift depths, nothing else.
template <class Visit>
void visit_by_depth(std::string_view text, Visit visit) {
    std::size_t depth = 0, begin = 0;
    const auto cut = [&](std::size_t end, std::size_t next_depth) {
        if (end > begin)
            visit(begin, end, std::min(depth, deepest));
        begin = end;
        depth = next_depth;
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = at;
        if (is_operator(text, at)) {
            at = std::min(operator_end(text, at), text.size());
            continue;
        }
        at++;
        switch (text[start]) {
        case '<':
        case '(':
        case '[':
        case '{':
            cut(at, depth + 1);
            break;
        case '>':
            if (start > 0 && text[start - 1] == '-')
                break;
            [[fallthrough]];
        case ')':
        case ']':
        case '}':
            if (depth > 0)
                cut(start, depth - 1);
            break;
        }
    }
    cut(text.size(), 0);
}

}  // namespace

std::string abridged(std::string name) {
    if (name.size() <= longest_name)
        return name;
    // By depth: the bytes of the pieces there, and how many pieces deeper ones leave a gap in.
    std::array<std::size_t, deepest + 1> bytes{}, groups{};
    std::size_t before = 0;
    visit_by_depth(name, [&](std::size_t begin, std::size_t end, std::size_t depth) {
        bytes[depth] += end - begin;
        for (std::size_t inner = before + 1; inner <= depth; inner++)
            groups[inner]++;
        before = depth;
    });
    std::size_t most_depth = 0;
    for (std::size_t depth = 0, sum = 0; depth < deepest; depth++) {
        sum += bytes[depth];
        if (sum + groups[depth + 1] * dots.size() > longest_name)
            break;
        most_depth = depth;
    }
    std::string out;
    bool in_gap = false;
    visit_by_depth(name, [&](std::size_t begin, std::size_t end, std::size_t depth) {
        if (depth <= most_depth)
            out.append(name, begin, end - begin);
        else if (!in_gap)
            out += dots;
        in_gap = depth > most_depth;
    });
    return out.size() <= longest_name ? out : shorten_middle(out, longest_name / 4);
}

}  // namespace vftrace
