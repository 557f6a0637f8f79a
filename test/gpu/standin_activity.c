/* A stand-in for libcupti: buffers of activity records, which a separate thread delivers. */
#include "standin_activity.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "standin_script.h"

enum {
    success = 0,
    invalid_parameter = 1,
    max_limit_reached = 12,
    not_initialized = 15,
    invalid_kind = 21
};

typedef void (*request_function)(uint8_t** buffer, size_t* size, size_t* most_records);
typedef void (*complete_function)(void* context, uint32_t stream, uint8_t* buffer, size_t size,
                                  size_t used);

struct buffer {
    uint8_t* bytes;
    size_t size, used, most_records, records;
};
enum { most_buffers = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static request_function request;
static complete_function complete;
static uint8_t enabled[record_kinds];
static int migrations_configured, ended;
static struct buffer current, full[most_buffers]; /* `full` is a ring */
static size_t first_full, last_full;              /* numbers that only grow */
static int handing_over, has_thread;
static pthread_t thread;
static uint32_t period_ms, device_count;
static uint64_t made, delivered, completion_ns;
static atomic_size_t dropped;
static struct {
    enum generation generation;
    int reverse, late, unknown_kinds;
    size_t per_buffer;
    uint64_t drop, unknown_ids, no_times;
} script;

__attribute__((constructor)) static void read_script(void) {
    const char* const words = "STANDIN_CUPTI";
    script.generation = standin_generation();
    script.reverse = script_word(words, "reverse") != 0;
    script.late = script_word(words, "late") != 0;
    script.unknown_kinds = script_word(words, "unknown-kinds") != 0;
    script.per_buffer = (size_t)script_word(words, "per-buffer");
    script.drop = (uint64_t)script_word(words, "drop");
    script.unknown_ids = (uint64_t)script_word(words, "unknown-ids");
    script.no_times = (uint64_t)script_word(words, "no-times");
}

static size_t bytes_of(uint32_t kind) { return record_bytes[kind][script.generation]; }

/* Whether something that happens to every Nth record happens to this one. */
static int is_one(uint64_t every) { return every && made % every == 0; }

static void complain(const char* what) { fprintf(stderr, "stand-in for CUPTI: %s\n", what); }

/* Reverses the order of the records in the buffer. */
static void reverse(struct buffer* buffer) {
    uint8_t* copy = malloc(buffer->used);
    memcpy(copy, buffer->bytes, buffer->used);
    size_t to = buffer->used;
    for (size_t from = 0; from < buffer->used;) {
        uint32_t kind;
        memcpy(&kind, copy + from, sizeof kind);
        const size_t bytes = bytes_of(kind);
        memcpy(buffer->bytes + (to -= bytes), copy + from, bytes);
        from += bytes;
    }
    free(copy);
}

static uint64_t processor_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The current buffer does not take any more records. */
static void close_buffer(void) {
    if (current.bytes && last_full - first_full < most_buffers) {
        full[last_full++ % most_buffers] = current;
        current = (struct buffer){0};
    }
}

static void* hand_over(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        if (first_full == last_full || (script.late && !handing_over)) {
            handing_over = 0;
            pthread_cond_broadcast(&changed);
            if (!period_ms || script.late) {
                pthread_cond_wait(&changed, &lock);
                continue;
            }
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            const uint64_t ns = (uint64_t)until.tv_nsec + period_ms % 1000 * UINT64_C(1000000);
            until.tv_sec += (time_t)(period_ms / 1000 + ns / 1000000000);
            until.tv_nsec = (long)(ns % 1000000000);
            if (pthread_cond_timedwait(&changed, &lock, &until) != 0)
                close_buffer();
            continue;
        }
        struct buffer buffer = full[first_full % most_buffers];
        pthread_mutex_unlock(&lock);
        if (script.reverse)
            reverse(&buffer);
        const uint64_t start = processor_ns();
        complete(NULL, 0, buffer.bytes, buffer.size, buffer.used);
        const uint64_t took = processor_ns() - start;
        pthread_mutex_lock(&lock);
        ++first_full;
        completion_ns += took;
        delivered += buffer.records;
    }
    return NULL;
}

/* The place for a record of a kind; NULL: there is no space, and it is counted as dropped. */
static void* room_for(enum record_kind kind) {
    const size_t bytes = bytes_of(kind);
    if (current.bytes && (current.used + bytes > current.size ||
                          (current.most_records && current.records == current.most_records) ||
                          (script.per_buffer && current.records >= script.per_buffer))) {
        close_buffer();
        pthread_cond_broadcast(&changed);
    }
    if (!current.bytes) {
        struct buffer buffer = {0};
        request(&buffer.bytes, &buffer.size, &buffer.most_records);
        if ((uintptr_t)buffer.bytes % 8)
            complain("the buffer is not aligned to 8 bytes");
        current = buffer;
    }
    if (!current.bytes || current.used + bytes > current.size) {
        ++dropped;
        return NULL;
    }
    uint8_t* const place = current.bytes + current.used;
    memset(place, 0xee, bytes);
    memcpy(place, &(uint32_t){kind}, sizeof(uint32_t));
    current.used += bytes;
    ++current.records;
    return place;
}

static enum record_kind kind_of(const struct work* work) {
    switch (work->kind) {
    case work_copy:
        return kind_memcpy;
    case work_peer_copy:
        return kind_memcpy2;
    case work_set:
        return kind_memset;
    case work_migration:
        return kind_unified_memory;
    default:
        return enabled[kind_kernel] ? kind_kernel : kind_concurrent_kernel;
    }
}

void activity_work(const struct work* done) {
    const enum record_kind kind = kind_of(done);
    if (!enabled[kind] || (kind == kind_unified_memory && !migrations_configured))
        return;
    struct work work = *done;
    pthread_mutex_lock(&lock);
    ++made;
    if (is_one(script.drop)) {
        ++dropped;
        pthread_mutex_unlock(&lock);
        return;
    }
    if (is_one(script.unknown_ids))
        work.correlation += 100000000;
    if (kind == kind_concurrent_kernel && is_one(script.no_times))
        work.start = work.end = 0;
    if (!has_thread) { /* only now, during a call of the program */
        has_thread = 1;
        pthread_create(&thread, NULL, hand_over, NULL);
    }
    if (script.unknown_kinds)
        room_for(kind_unknown);
    void* const place = room_for(kind);
    if (place)
        fill_record(place, bytes_of(kind), kind, &work);
    pthread_mutex_unlock(&lock);
}

static void make_device_records(void) {
    static char names[64][24];
    pthread_mutex_lock(&lock);
    for (uint32_t device = 0; request && device < device_count; ++device) {
        const enum record_kind kind = kind_device;
        void* const place = room_for(kind);
        snprintf(names[device % 64], sizeof *names, "Stand-in GPU %u", device);
        if (place)
            fill_device_record(place, bytes_of(kind), device, names[device % 64]);
    }
    pthread_mutex_unlock(&lock);
}

void activity_devices(uint32_t number) {
    device_count = number;
    if (enabled[kind_device])
        make_device_records();
}

/* Contexts are gone: what has not been delivered is lost. */
void activity_ended(void) {
    pthread_mutex_lock(&lock);
    ended = 1;
    current = (struct buffer){0};
    pthread_mutex_unlock(&lock);
}

int cuptiActivityRegisterCallbacks(request_function on_request, complete_function on_complete) {
    if (!on_request || !on_complete)
        return invalid_parameter;
    request = on_request;
    complete = on_complete;
    return success;
}

int cuptiActivityEnable(uint32_t kind) {
    const int refused = (int)script_word("STANDIN_CUPTI", "activity");
    if (refused)
        return refused;
    if (kind == 0 || kind >= 55)
        return invalid_kind;
    if (!request)
        complain("activity is enabled, and there are no functions for buffers");
    if (kind == kind_kernel)
        complain("records of kind KERNEL make kernels run one by one");
    if (kind == kind_unified_memory && !migrations_configured)
        return not_initialized;
    const int is_new = !enabled[kind];
    enabled[kind] = 1;
    if (kind == kind_device && is_new)
        make_device_records();
    return success;
}

int cuptiActivityDisable(uint32_t kind) {
    if (kind == 0 || kind >= record_kinds)
        return invalid_kind;
    enabled[kind] = 0;
    return success;
}

int cuptiActivityConfigureUnifiedMemoryCounter(const void* configuration, uint32_t count) {
    migrations_configured = configuration && count;
    return migrations_configured ? success : invalid_parameter;
}

int cuptiActivitySetAttribute(uint32_t attribute, size_t* size, void* value) {
    return attribute <= 10 && size && value ? success : invalid_parameter;
}

int cuptiActivityFlushPeriod(uint32_t ms) {
    pthread_mutex_lock(&lock);
    period_ms = ms;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return success;
}

int cuptiActivityFlushAll(uint32_t flag) {
    (void)flag;
    pthread_mutex_lock(&lock);
    if (has_thread && pthread_equal(pthread_self(), thread))
        complain("a flush in the thread that hands over buffers waits for itself");
    const int result = ended ? not_initialized : success;
    if (!ended) {
        close_buffer();
        if (!has_thread && last_full != first_full) {
            has_thread = 1;
            pthread_create(&thread, NULL, hand_over, NULL);
        }
        const size_t last = last_full;
        handing_over = 1;
        pthread_cond_broadcast(&changed);
        while (first_full < last)
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cuptiActivityGetNumDroppedRecords(void* context, uint32_t stream, size_t* number) {
    (void)context, (void)stream;
    *number = atomic_exchange(&dropped, 0);
    return success;
}

int cuptiActivityGetNextRecord(uint8_t* buffer, size_t used, void** record) {
    uint8_t* next = buffer;
    uint32_t kind;
    if (*record) {
        memcpy(&kind, *record, sizeof kind);
        next = (uint8_t*)*record + bytes_of(kind);
    }
    if (next >= buffer + used)
        return max_limit_reached;
    memcpy(&kind, next, sizeof kind);
    if (kind >= record_kinds || !bytes_of(kind))
        return invalid_kind;
    *record = next;
    return success;
}

__attribute__((destructor)) static void report(void) {
    if (script_word("STANDIN_CUPTI", "report"))
        fprintf(stderr, "stand-in: records %llu ns %llu\n", (unsigned long long)delivered,
                (unsigned long long)completion_ns);
}
