// Sorts lists and combines elements about the same thing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "profile/row_keys.hpp"

namespace vftrace {

// Adds each element to the one before it, by add_to(sum, element), as long as same(sum, element).
template <class Element, class Same, class Add>
void unite(std::vector<Element>& elements, Same same, Add add_to) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < elements.size(); i++)
        if (kept > 0 && same(elements[kept - 1], elements[i]))
            add_to(elements[kept - 1], elements[i]);
        else if (kept++ != i)
            elements[kept - 1] = std::move(elements[i]);
    elements.resize(kept);
}

// By their keys (profile/row_keys.hpp), as a Profile has them.
template <class Row>
void sort_rows(std::vector<Row>& rows) {
    if (!std::is_sorted(rows.begin(), rows.end(), key_before<Row>))
        std::sort(rows.begin(), rows.end(), key_before<Row>);
}

// The same, and rows with the same key become one, with the sums of their figures.
template <class Row>
void sort_and_unite(std::vector<Row>& rows) {
    sort_rows(rows);
    unite(rows, same_key<Row>, [](Row& sum, const Row& row) { add_figures(sum, row); });
}

}  // namespace vftrace
