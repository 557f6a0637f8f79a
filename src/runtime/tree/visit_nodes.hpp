// Visits all threads of this process and the nodes of their trees, while they may continue to run.
#pragma once

#include "tree/own_record.hpp"

namespace vftrace {

// In order of creation.
template <class Visit>
void visit_nodes(const ThreadRecord& thread, Visit visit) {
    for (Node* node = thread.root; node;
         node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE))
        visit(*node);
}

// The latest one first.
template <class Visit>
void visit_threads(Visit visit) {
    for (ThreadRecord* thread = __atomic_load_n(&process_record->threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->next)
        visit(*thread);
}

}  // namespace vftrace
