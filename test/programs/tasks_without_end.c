/* Tasks that each create their successor, the number in the argument; prints the memory of the
 * program at the end (KiB). */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <vftrace/tasks.h>

static vftrace_task_id another(void) {
    return vftrace_task_create("link of the chain", __FILE__, __LINE__);
}

int main(int argc, char** argv) {
    long left = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    vftrace_task_id task = another();
    for (; left > 0; left--) {
        vftrace_task_run(task);
        const vftrace_task_id next = another();
        vftrace_task_complete(task);
        task = next;
    }
    vftrace_task_cancel(task);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}
