/* A stand-in for libcupti: subscribers, callbacks and remaining functions. Its clients find the
   functions, numbers and structures of the real library. */
#include "standin_cupti.h"

#include <stdio.h>
#include <time.h>

#include "cupti_records.h"
#include "standin_activity.h"
#include "standin_script.h"

enum {
    success = 0,
    invalid_parameter = 1,
    already_subscribed = 39,
};

typedef void (*callback_function)(void* user, int domain, uint32_t id, const void* data);

static struct {
    callback_function function; /* NULL: no subscriber */
    void* user;
} subscriber;

static const char* const names[domains][callbacks] = {
#define STANDIN_FUNCTION(domain, id, function, name) [domain_##domain][id] = #name,
#include "standin_functions.inc"
#undef STANDIN_FUNCTION
};

/* The number of functions in the API of a generation. */
static const uint32_t functions[generations][domains] = {
    {0, 590, 347, 20}, {0, 700, 445, 21}, {0, 807, 523, 24}};

static void call(int domain, uint32_t id, const void* data) {
    if (subscriber.function)
        subscriber.function(subscriber.user, domain, id, data);
}

struct standin_cupti standin_cupti = {
    .call = call, .work = activity_work, .devices = activity_devices, .ended = activity_ended};

enum generation standin_generation(void) {
    switch (script_word("STANDIN_CUPTI", "layout")) {
    case 11:
        return cuda_11;
    case 12:
        return cuda_12;
    default:
        return cuda_13;
    }
}

__attribute__((constructor)) static void start(void) {
    standin_cupti.driver_ids = (int)script_word("STANDIN_CUPTI", "driver-ids");
    standin_cupti.destroy = (int)script_word("STANDIN_CUPTI", "destroy");
}

int cuptiSubscribe(void** handle, callback_function function, void* user) {
    const int refused = (int)script_word("STANDIN_CUPTI", "subscribe");
    if (refused || !handle || !function)
        return refused ? refused : invalid_parameter;
    if (subscriber.function)
        return already_subscribed;
    subscriber.user = user;
    subscriber.function = function;
    *handle = &subscriber;
    return success;
}

int cuptiUnsubscribe(void* handle) {
    if (handle != &subscriber || !subscriber.function)
        return invalid_parameter;
    memset(standin_cupti.enabled, 0, sizeof standin_cupti.enabled);
    subscriber.function = NULL;
    return success;
}

int cuptiEnableCallback(uint32_t enable, void* handle, int domain, uint32_t id) {
    if (handle != &subscriber || !subscriber.function || domain < 1 || domain > 6 || id == 0)
        return invalid_parameter;
    if (domain >= domains) /* the stand-in has no such events */
        return success;
    if (id >= functions[standin_generation()][domain])
        return invalid_parameter;
    standin_cupti.enabled[domain][id] = enable != 0;
    return success;
}

int cuptiEnableDomain(uint32_t enable, void* handle, int domain) {
    if (handle != &subscriber || !subscriber.function || domain < 1 || domain > 6)
        return invalid_parameter;
    if (domain < domains)
        memset(standin_cupti.enabled[domain], enable != 0, callbacks);
    return success;
}

int cuptiEnableAllDomains(uint32_t enable, void* handle) {
    for (int domain = 1; domain < domains; ++domain) {
        const int result = cuptiEnableDomain(enable, handle, domain);
        if (result != success)
            return result;
    }
    return success;
}

int cuptiGetCallbackState(uint32_t* enable, void* handle, int domain, uint32_t id) {
    if (handle != &subscriber || domain < 1 || domain >= domains || id >= callbacks)
        return invalid_parameter;
    *enable = standin_cupti.enabled[domain][id];
    return success;
}

int cuptiGetCallbackName(int domain, uint32_t id, const char** name) {
    if (!name || domain < domain_driver || domain > domain_runtime || id == 0 ||
        id >= functions[standin_generation()][domain])
        return invalid_parameter;
    *name = names[domain][id] ? names[domain][id] : "another_function_v1000";
    return success;
}

int cuptiGetVersion(uint32_t* version) {
    *version = (uint32_t[]){13, 18, 130001}[standin_generation()];
    return success;
}

int cuptiGetTimestamp(uint64_t* ns) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    *ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    return success;
}

int cuptiGetDeviceId(void* context, uint32_t* device) {
    if (!context || !device)
        return invalid_parameter;
    *device = ((const struct context*)context)->device;
    return success;
}

int cuptiGetContextId(void* context, uint32_t* id) {
    if (!context || !id)
        return invalid_parameter;
    *id = ((const struct context*)context)->id;
    return success;
}

static const struct {
    int result;
    const char* text;
} results[] = {
    {0, "CUPTI_SUCCESS"},
    {1, "CUPTI_ERROR_INVALID_PARAMETER"},
    {12, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
    {15, "CUPTI_ERROR_NOT_INITIALIZED"},
    {21, "CUPTI_ERROR_INVALID_KIND"},
    {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
    {39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
    {999, "CUPTI_ERROR_UNKNOWN"},
};

int cuptiGetResultString(int result, const char** text) {
    for (size_t i = 0; text && i < sizeof results / sizeof *results; ++i)
        if (results[i].result == result) {
            *text = results[i].text;
            return success;
        }
    return invalid_parameter;
}

int cuptiGetErrorMessage(int result, const char** text) {
    return cuptiGetResultString(result, text);
}

int cuptiFinalize(void) {
    memset(standin_cupti.enabled, 0, sizeof standin_cupti.enabled);
    subscriber.function = NULL;
    return success;
}
