// Appends a row to a list of rows that other threads read at any time.
#pragma once

namespace vftrace {

// `list` has the members `first` and `newest`, rows have `next_created`. The row is complete. Only
// the thread that the list belongs to appends.
template <class List, class Row>
void append_row(List& list, Row* row) {
    Row*& link = list.newest ? list.newest->next_created : list.first;
    __atomic_store_n(&link, row, __ATOMIC_RELEASE);
    list.newest = row;
}

}  // namespace vftrace
