// Tasks whose names are long, and differ only in their middle or in their place. Writes a profile
// of two types.
#include <vftrace/tasks.h>

int main(void) {
    const char* name = "server::session<server::plain_transport>::handle_next_request_of_client";
    for (int line = 101; line <= 102; line++) {
        vftrace_task_id task =
            vftrace_task_create(name, "src/request_handlers_of_server.cpp", line);
        vftrace_task_run(task);
        vftrace_task_complete(task);
    }
    return 0;
}
