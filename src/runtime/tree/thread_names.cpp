#include "tree/thread_names.hpp"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tree/own_record.hpp"
#include "tree/registry.hpp"

namespace vftrace {
namespace {

char program_name[16];  // the name of an unnamed thread

// `name` is the name of the record's latest thread; earlier ones may have had another name.
void set_name(ThreadRecord& record, const char* name) {
    char padded[sizeof record.name] = {};
    std::memcpy(padded, name, strnlen(name, sizeof padded - 1));
    if (std::memcmp(padded, record.name, sizeof padded) == 0)
        return;
    bool several = record.threads > 1 && *record.name;
    std::memcpy(record.name, several ? "(several names)" : padded, sizeof padded);
}

}  // namespace

void note_program_name() { prctl(PR_GET_NAME, program_name); }

void note_own_name(ThreadRecord& record) {
    char name[16] = {};
    if (record.tid != process_record->pid && prctl(PR_GET_NAME, name) == 0 &&
        std::strncmp(name, program_name, sizeof name) != 0)
        set_name(record, name);
}

void set_thread_name(pthread_t thread, const char* name) {
    if (is_new_child())
        return;  // the states are zeros; the kernel knows the name
    for (ThreadState* state = first_thread_state(); state; state = state->next)
        if (__atomic_load_n(&state->record->in_use, __ATOMIC_ACQUIRE) &&
            state->record->handle == thread)
            set_name(*state->record, name);
}

void note_names_of_running_threads() {
    for (ThreadState* state = first_thread_state(); state; state = state->next) {
        ThreadRecord& record = *state->record;
        if (!__atomic_load_n(&record.in_use, __ATOMIC_ACQUIRE) || record.tid == process_record->pid)
            continue;
        char path[64], name[32] = {};
        std::snprintf(path, sizeof path, "/proc/self/task/%d/comm", record.tid);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            continue;
        ssize_t length = read(file, name, sizeof name - 1);
        close(file);
        name[std::strcspn(name, "\n")] = '\0';
        if (length > 0 && std::strncmp(name, program_name, sizeof program_name - 1) != 0)
            set_name(record, name);
    }
}

}  // namespace vftrace
