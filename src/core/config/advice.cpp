#include "config/advice.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "config/findings.hpp"
#include "config/options.hpp"

namespace vftrace {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// The smallest number of insertions, deletions and replacements that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    // row[j] is the distance between the part of `a` seen so far and the first j letters of `b`.
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); j++)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); i++) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); j++) {
            std::size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view best;
    std::size_t best_distance = std::string_view::npos;
    for (std::string_view candidate : candidates) {
        std::size_t shorter = std::min(word.size(), candidate.size());
        std::size_t longer = std::max(word.size(), candidate.size());
        std::size_t limit = (longer + 1) / 2;
        // The difference in length is a lower bound; it avoids the work for very long words.
        if (longer - shorter > limit)
            continue;
        std::size_t distance = edit_distance(word, candidate);
        if (distance <= limit && distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string_view option_in_any_section(std::string_view key) {
    for (const OptionRow& row : option_table)
        if (equal_ignoring_case(last_part(row.path), key))
            return row.path;
    return {};
}

std::string_view closest_option(std::string_view path) {
    const std::string_view key = last_part(path);
    const bool has_section = key.size() < path.size();
    if (const std::string_view moved = option_in_any_section(key); !has_section && !moved.empty())
        return moved;
    std::vector<std::string_view> paths, keys;
    for (const OptionRow& row : option_table) {
        paths.push_back(row.path);
        keys.push_back(last_part(row.path));
    }
    if (const std::string_view whole = closest(path, paths); !whole.empty())
        return whole;
    const std::string_view similar = closest(key, keys);
    return similar.empty() ? similar : option_in_any_section(similar);
}

std::string unknown_key_text(std::string_view key, std::string_view suggestion) {
    std::string text = "Warning: " + quoted(key) + " is not a valid vftrace option.";
    if (!suggestion.empty())
        text += "\n         Did you mean " + quoted(suggestion) + "?";
    return text;
}

}  // namespace vftrace
