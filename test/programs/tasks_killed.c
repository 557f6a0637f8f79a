/* Is killed while it runs a task. */
#include <stdio.h>
#include <unistd.h>

#include <vftrace/tasks.h>

int main(void) {
    const vftrace_task_id first = vftrace_task_create("over", NULL, 0);
    vftrace_task_run(first);
    vftrace_task_complete(first);
    const vftrace_task_id second = vftrace_task_create("in it", NULL, 0);
    vftrace_task_run(second);
    usleep(100000);
    /* Something that is recorded, so that the reader knows that the process lived until now. */
    const vftrace_task_id third = vftrace_task_create("third", NULL, 0);
    vftrace_task_run(third);
    vftrace_task_complete(third);
    puts("waiting");
    fflush(stdout);
    pause();
    return 0;
}
