// Tasks of code from GCC: function, argument and the way to copy it are replaced by our own.
//
// The library copies a task's argument when the task is created. Ours has a header before the
// program's own:
//
//   start, end, reductions  words of the program's argument that the library reads and writes
//   function, node, ...     what to call, and where in the tree
//   the program's argument  copied as the program wants it
#pragma once

#include "openmp/libgomp_roles.hpp"

namespace vftrace {

struct GompTask {
    // Where the library finds the first three words of the program's argument: GOMP_taskloop puts
    // the bounds of a task's part there, and GOMP_task the handle of the event that completes a
    // task.
    Word start, end, reductions;
    void (*function)(void*);
    void (*copy)(void* to, void* from);  // nullptr: byte by byte
    void* data;                          // the program's argument
    Word data_bytes;
    Word data_offset;  // in the copy
    Node* node;        // of the task, where it was created
    bool is_loop;      // of GOMP_taskloop
    bool has_event;    // detach clause
};

// Fills `task`; returns false if the task cannot be recorded.
bool describe_gomp_task(GompTask& task, const GompSite& site, Word function, Word data, Word copy,
                        Word bytes, Word alignment, Word flags, bool is_loop);

void run_gomp_task(void* copied);
void copy_gomp_task(void* to, void* from);

struct ExplicitTask {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Word function, Word data, Word copy,
                    Word bytes, Word alignment, Word deferred, Word flags, Words... words) {
        GompTask task;
        if (!describe_gomp_task(task, site, function, data, copy, bytes, alignment, flags, false))
            return call_gomp(real, function, data, copy, bytes, alignment, deferred, flags,
                             words...);
        return call_gomp(real, reinterpret_cast<Word>(&run_gomp_task),
                         reinterpret_cast<Word>(&task), reinterpret_cast<Word>(&copy_gomp_task),
                         task.data_offset + bytes, alignment_of_task(alignment), deferred, flags,
                         words...);
    }

    static Word alignment_of_task(Word alignment) {
        return alignment > alignof(GompTask) ? alignment : alignof(GompTask);
    }
};

struct GompTaskloop {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Word function, Word data, Word copy,
                    Word bytes, Word alignment, Word flags, Words... words) {
        GompActivation activation(key_at(OpenmpConstruct::taskloop, site), site);
        GompTask task;
        Word result;
        if (describe_gomp_task(task, site, function, data, copy, bytes, alignment, flags, true))
            result = call_gomp(real, reinterpret_cast<Word>(&run_gomp_task),
                               reinterpret_cast<Word>(&task),
                               reinterpret_cast<Word>(&copy_gomp_task), task.data_offset + bytes,
                               ExplicitTask::alignment_of_task(alignment), flags, words...);
        else
            result = call_gomp(real, function, data, copy, bytes, alignment, flags, words...);
        activation.leave();
        return result;
    }
};

}  // namespace vftrace
