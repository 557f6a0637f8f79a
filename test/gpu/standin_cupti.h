/* The interface between the stand-ins for CUDA and CUPTI. The real libraries have one, too.
 *
 * The behaviour of CUPTI is chosen by the variable STANDIN_CUPTI, a comma-separated list of words:
 *   layout=11|12|13   records as long as those of CUDA 11.0, 12.0, 13.0 (default: 13)
 *   subscribe=N       cuptiSubscribe is refused with this result
 *   activity=N        cuptiActivityEnable is refused with this result
 *   reverse           records of a buffer are in reverse order
 *   drop=N            every Nth record is dropped for lack of space
 *   late              buffers are delivered only when flushing, not when they are full
 *   per-buffer=N      a buffer counts as full after N records
 *   unknown-ids=N     every Nth record has a correlation id that no call had
 *   unknown-kinds     each record is preceded by one of a kind that CUPTI 13 does not have
 *   no-times=N        every Nth kernel has start and end 0: its times could not be collected
 *   driver-ids        driver calls in runtime calls have separate ids, and records have these
 *   destroy           contexts are destroyed at exit; then everything is refused
 *   report            at exit: records, and processor time in the client's completion function
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { domain_driver = 1, domain_runtime = 2, domain_resource = 3, domains };
enum { site_enter, site_exit };
enum { resource_context_created = 1, resource_context_destroy_starting = 2, resource_started = 5 };
enum { callbacks = 1024 }; /* more than any domain has */

/* CUpti_CallbackData */
struct callback_data {
    int site;
    const char* function;
    const void* parameters;
    void* result;
    const char* symbol; /* of the kernel */
    void* context;      /* struct context */
    uint32_t context_id;
    uint64_t* correlation_data;
    uint32_t correlation;
};

/* CUpti_ResourceData */
struct resource_data {
    void *context, *handle, *descriptor;
};

/* What a CUcontext points to. */
struct context {
    uint32_t device, id;
};

enum work_kind { work_copy, work_peer_copy, work_set, work_kernel, work_migration };
enum copy_kind { host_to_device = 1, device_to_host = 2, device_to_device = 8, host_to_host = 9 };

/* A piece of work done by a device. */
struct work {
    enum work_kind kind;
    int copy; /* enum copy_kind */
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint32_t from_device, to_device; /* of a peer copy */
    const char* kernel;
    uint64_t graph_node;
};

/* Exported by the stand-in for CUPTI as `standin_cupti`. */
struct standin_cupti {
    uint8_t enabled[domains][callbacks]; /* whether a client is notified */
    int driver_ids, destroy;
    void (*call)(int domain, uint32_t id, const void* data); /* if enabled */
    void (*work)(const struct work*);
    void (*devices)(uint32_t number); /* CUDA has started */
    void (*ended)(void);              /* contexts have been destroyed */
};
