// Hardware counters through PAPI, whose library is opened when it is requested.
//
// Only functions that take names are used: neither a table of event codes nor PAPI's headers are
// needed. There is one event set per thread, because that is how PAPI counts.
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include "base/guarded.hpp"
#include "counters/counter_source.hpp"

namespace vftrace {
namespace {

// The versions that have this interface; each library accepts only its own number.
constexpr struct {
    const char* file;
    int version;
} libraries[] = {{"libpapi.so.7.2", 0x07020000}, {"libpapi.so.7.1", 0x07010000},
                 {"libpapi.so.7.0", 0x07000000}, {"libpapi.so.6.0", 0x06000000},
                 {"libpapi.so.5.7", 0x05070000}, {"libpapi.so.5", 0x05070000}};

constexpr int papi_ok = 0, no_event_set = -1;  // PAPI_OK, PAPI_NULL

struct Papi {
    int (*library_init)(int version);
    int (*thread_init)(unsigned long (*thread_id)());
    int (*create_eventset)(int* set);
    int (*add_named_event)(int set, const char* name);
    int (*start)(int set);
    int (*read)(int set, long long* values);
    int (*stop)(int set, long long* values);
    int (*cleanup_eventset)(int set);
    int (*destroy_eventset)(int* set);
    int (*unregister_thread)();
    char* (*strerror)(int error);
};
Papi papi;
std::vector<std::string>* names;  // of the counters; never destroyed: threads may outlive main
int library_version;
pid_t initialised_in;  // children of fork have to do this again

template <class Function>
bool load(void* file, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(file, name));
    return function != nullptr;
}

// Returns what is wrong, or "".
std::string initialise() {
    initialised_in = getpid();
    if (papi.library_init(library_version) != library_version)
        return "PAPI cannot be used on this machine: PAPI_library_init failed";
    if (papi.thread_init([] { return static_cast<unsigned long>(pthread_self()); }) != papi_ok)
        return "PAPI cannot count per thread: PAPI_thread_init failed";
    return "";
}

std::string open_library() {
    void* file = nullptr;
    for (const auto& library : libraries)
        if (!file && (file = dlopen(library.file, RTLD_LAZY | RTLD_LOCAL)))
            library_version = library.version;
    if (!file)
        return "the library libpapi.so is not installed, or its version is not supported";
    if (!load(file, "PAPI_library_init", papi.library_init) ||
        !load(file, "PAPI_thread_init", papi.thread_init) ||
        !load(file, "PAPI_create_eventset", papi.create_eventset) ||
        !load(file, "PAPI_add_named_event", papi.add_named_event) ||
        !load(file, "PAPI_start", papi.start) || !load(file, "PAPI_read", papi.read) ||
        !load(file, "PAPI_stop", papi.stop) ||
        !load(file, "PAPI_cleanup_eventset", papi.cleanup_eventset) ||
        !load(file, "PAPI_destroy_eventset", papi.destroy_eventset) ||
        !load(file, "PAPI_unregister_thread", papi.unregister_thread) ||
        !load(file, "PAPI_strerror", papi.strerror))
        return "libpapi.so lacks required functions";
    return initialise();
}

void destroy(int& set) {
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
}

// An event set with all counters, started. Returns what is wrong, or "".
std::string start_set(int& set) {
    set = no_event_set;
    int error = papi.create_eventset(&set);
    if (error != papi_ok)
        return std::string("PAPI cannot create an event set: ") + papi.strerror(error);
    for (const std::string& name : *names) {
        error = papi.add_named_event(set, name.c_str());
        if (error != papi_ok) {
            destroy(set);
            return "PAPI cannot count \"" + name + "\" here: " + papi.strerror(error);
        }
    }
    error = papi.start(set);
    if (error == papi_ok)
        return "";
    destroy(set);
    return std::string("PAPI cannot start counting: ") + papi.strerror(error);
}

void stop_set(int& set) {
    long long values[most_counters];
    papi.stop(set, values);
    destroy(set);
}

std::string prepare(const std::vector<HardwareCounter>& counters) {
    if (std::string error = open_library(); !error.empty())
        return error;
    names = new std::vector<std::string>;
    for (const HardwareCounter& counter : counters)
        names->push_back(counter.hwc_name);
    int set;
    std::string error = start_set(set);
    if (error.empty())
        stop_set(set);
    return error;
}

bool begin_thread(SourceThread& thread) {
    bool started = false;
    run_guarded([&] {
        started = (initialised_in == getpid() || initialise().empty()) &&
                  start_set(thread.event_set).empty();
    });
    return started;
}

bool read_papi(SourceThread& thread, std::span<std::int64_t> values) {
    long long counts[most_counters];
    if (papi.read(thread.event_set, counts) != papi_ok)
        return false;
    for (std::size_t i = 0; i < values.size(); i++)
        values[i] = counts[i];
    return true;
}

void end_thread(SourceThread& thread) {
    stop_set(thread.event_set);
    papi.unregister_thread();
}

}  // namespace

constexpr CounterSource papi_source = {.name = "papi",
                                       .prepare = prepare,
                                       .begin_thread = begin_thread,
                                       .read = read_papi,
                                       .read_other = nullptr,
                                       .end_thread = end_thread};

}  // namespace vftrace
