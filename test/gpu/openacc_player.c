// Plays the role of an OpenACC run-time library: looks for a tool as NVIDIA's does, and delivers
// events as the first argument says. Nothing is computed. "openacc_player all" has every kind of
// event; the other modes are described at their functions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNTIME __attribute__((no_instrument_function))

enum {
    device_init = 1,
    device_shutdown = 3,
    runtime_shutdown = 5,
    create = 6,
    delete_ = 7,
    alloc = 8,
    free_ = 9,
    enter_data = 10,
    exit_data = 12,
    update = 14,
    compute = 16,
    launch = 18,
    upload = 20,
    download = 22,
    wait_ = 24,
    events = 26
};

struct prof_info {
    int event_type, valid_bytes, version, device_type, device_number, thread_id;
    long async, async_queue;
    const char *src_file, *func_name;
    int line_no, end_line_no, func_line_no, func_end_line_no;
};
struct data_event {
    int event_type, valid_bytes, parent_construct, implicit;
    void* tool_info;
    const char* var_name;
    size_t bytes;
    const void *host, *device;
};

typedef void (*callback)(struct prof_info*, struct data_event*, void*);
static callback callbacks[events];
static int registrations;

static RUNTIME void add(int event, callback function, int how) {
    if (event <= 0 || event >= events || how != 0)
        abort();
    callbacks[event] = function;
    registrations++;
}
static RUNTIME void drop(int event, callback function, int how) {
    (void)event;
    (void)function;
    (void)how;
}
static RUNTIME void* look_up(const char* name) {
    (void)name;
    return NULL;
}

// The position of the calling thread.
static __thread struct prof_info here = {
    .valid_bytes = sizeof here, .version = 201711, .device_type = 4, .async = -1};
static RUNTIME void at(const char* file, const char* function, int line, int last) {
    here.src_file = file;
    here.func_name = function;
    here.line_no = line;
    here.end_line_no = last;
}

// The values that the tool has stored in the words of open events.
static __thread void* words[64];
static __thread int depth;
static int event_bytes = sizeof(struct data_event);

static RUNTIME void deliver(int event, size_t bytes, void** word) {
    if (!callbacks[event])
        return;
    struct prof_info prof = here;
    struct data_event data = {event, event_bytes, 0, 0, *word, "a", bytes, NULL, NULL};
    prof.event_type = event;
    callbacks[event](&prof, &data, NULL);
    *word = data.tool_info;
}
static RUNTIME void start(int event, size_t bytes) {
    words[depth] = NULL;
    deliver(event, bytes, &words[depth++]);
}
static RUNTIME void end(int event) { deliver(event + 1, 0, &words[--depth]); }
static RUNTIME void both(int event, size_t bytes) {
    start(event, bytes);
    end(event);
}
static RUNTIME void moment(int event, size_t bytes) {
    void* word = NULL;
    deliver(event, bytes, &word);
}

static RUNTIME void spin(int ms) {
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < ms * 1000000);
}

static RUNTIME void find_tool(void) {
    void (*tool)(void*, void*, void*) =
        (void (*)(void*, void*, void*))dlsym(RTLD_DEFAULT, "acc_register_library");
    if (tool)
        tool((void*)add, (void*)drop, (void*)look_up);
}

// A data region and a loop in it: 5000 bytes in, 800 out, 8192 on the device.
void step(void) {
    at("src/solver.c", "step", 12, 30);
    start(enter_data, 0);
    for (int i = 0; i < 2; i++) {
        moment(alloc, 4096);
        moment(create, 4000);
        both(upload, 2500);
    }
    end(enter_data);
    at("src/solver.c", "step", 14, 18);
    start(compute, 0);
    both(launch, 0);
    at(NULL, NULL, 0, 0);  // inherits the position
    start(wait_, 0);
    spin(5);
    end(wait_);
    spin(10);
    end(compute);
    at("src/solver.c", "step", 20, 20);
    start(update, 0);
    both(download, 800);
    end(update);
    at("src/solver.c", "step", 12, 30);
    start(exit_data, 0);
    moment(delete_, 4000);
    moment(free_, 4096);
    spin(2);
    end(exit_data);
}

// A C++ function of another file, on an asynchronous queue.
void wait_for_queue(void) {
    at("src/queue.cpp", "_ZN4grid5queue4waitEi", 7, 7);
    here.async = here.async_queue = 3;
    both(launch, 0);
    both(wait_, 0);
    here.async = -1;
}

static void all(void) {
    start(device_init, 0);
    end(device_init);
    for (int i = 0; i < 3; i++)
        step();
    wait_for_queue();
    at(NULL, NULL, 0, 0);
    both(device_shutdown, 0);
    moment(runtime_shutdown, 0);
}

// Ends that never come, or come without a start.
void forgotten_ends(void) {
    at("a.c", "forgotten_ends", 3, 9);
    start(compute, 0);
    start(upload, 100);
    depth--;  // its end is forgotten
    end(compute);
    for (int i = 0; i < 5; i++) {
        start(wait_, 0);
        depth--;
    }
    start(launch, 0);
    depth = 0;
    void* word = NULL;
    deliver(exit_data + 1, 0, &word);
    word = (void*)"somebody else's";
    deliver(download + 1, 0, &word);
}
static void missing(void) {
    for (int i = 0; i < 4; i++)
        forgotten_ends();
    step();
}

// A tool_info that does not reach the tool, and shorter structures.
static void without_words(void) {
    event_bytes = offsetof(struct data_event, tool_info);
    step();
    event_bytes = sizeof(struct data_event);
    here.valid_bytes = offsetof(struct prof_info, src_file);
    step();
    here.valid_bytes = offsetof(struct prof_info, device_type);
    step();
}

static void* on_device(void* number) {
    here.device_number = *(int*)number % 2;
    for (int i = 0; i < 100; i++) {
        at("src/threads.c", "on_device", 5, 6);
        start(compute, 0);
        both(upload, 10);
        end(compute);
    }
    return NULL;
}
static void threads(void) {
    pthread_t all[4];
    int numbers[4];
    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
        pthread_create(&all[i], NULL, on_device, &numbers[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

void vftrace_pause(void) __attribute__((weak));
void vftrace_resume(void) __attribute__((weak));
static RUNTIME void pause_if(void (*function)(void)) {
    if (function)
        function();
}
// Of three uploads, the second is not recorded, and neither is the end of the third.
static void paused(void) {
    at("p.c", "paused", 1, 2);
    both(upload, 1);
    pause_if(vftrace_pause);
    start(upload, 10);
    pause_if(vftrace_resume);
    end(upload);
    start(upload, 100);
    pause_if(vftrace_pause);
    end(upload);
    pause_if(vftrace_resume);
}

static void forks(void) {
    step();
    at("f.c", "forks", 1, 2);
    start(compute, 0);
    pid_t child = fork();
    if (child == 0) {
        end(compute);
        step();
        exit(0);
    }
    waitpid(child, NULL, 0);
    end(compute);
}

static void killed(void) {
    step();
    step();
    at("solver.c", "killed", 50, 60);
    start(compute, 0);
    kill(getpid(), SIGKILL);
}

// The same file names and lines at other addresses are the same constructs.
static void copies(void) {
    for (int i = 0; i < 10; i++) {
        char file[16] = "copy.c", function[16] = "copies";
        at(file, function, 4, 4);
        both(update, 0);
    }
    at("copy.c", "others", 4, 4);
    both(update, 0);
    at("other/copy.c", "copies", 4, 4);
    both(update, 0);
}

#ifdef WITH_MPI
#include <mpi.h>
// One step more than the number of ranks below this one.
static void ranks(void) {
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    here.device_number = rank % 2;
    for (int i = 0; i <= rank; i++)
        step();
    MPI_Finalize();
    exit(0);
}
#else
static void ranks(void) {}
#endif

int main(int count, char** arguments) {
    static const struct {
        const char* name;
        void (*play)(void);
    } plays[] = {{"all", all},         {"missing", missing}, {"short", without_words},
                 {"threads", threads}, {"paused", paused},   {"fork", forks},
                 {"copies", copies},   {"ranks", ranks},     {"killed", killed}};
    if (count != 2)
        return 2;
    find_tool();
    if (strcmp(arguments[1], "registrations") == 0) {
        find_tool();
        printf("%d\n", registrations);
        return 0;
    }
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
        if (strcmp(arguments[1], plays[i].name) == 0)
            plays[i].play();
    puts("played");
    return 7;
}
