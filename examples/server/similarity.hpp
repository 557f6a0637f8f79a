// How similar two texts are, and which one of many is most similar to one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

// How many letters must be inserted, removed or replaced to turn one text into the other.
inline std::size_t edit_distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t column = 0; column < row.size(); column++)
        row[column] = column;
    for (std::size_t line = 1; line <= one.size(); line++) {
        std::size_t diagonal = row[0];
        row[0] = line;
        for (std::size_t column = 1; column < row.size(); column++) {
            const std::size_t replaced = diagonal + (one[line - 1] != other[column - 1]);
            diagonal = row[column];
            row[column] = std::min({replaced, row[column] + 1, row[column - 1] + 1});
        }
    }
    return row.back();
}

// The index of the text that is nearest to `wanted`; if there are several, of the first one.
template <class Texts>
std::size_t nearest(const Texts& texts, std::string_view wanted) {
    std::size_t best = 0, index = 0;
    std::size_t smallest = std::numeric_limits<std::size_t>::max();
    for (std::string_view text : texts) {
        const std::size_t distance = edit_distance(text, wanted);
        if (distance < smallest) {
            smallest = distance;
            best = index;
        }
        index++;
    }
    return best;
}
