// Elements of a sorted list that are about the same thing become one.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

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

}  // namespace vftrace
