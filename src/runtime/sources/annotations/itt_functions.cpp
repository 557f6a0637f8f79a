// A collector for Intel's ITT (https://github.com/intel/ittapi): at the first call of its
// functions, the part of ITT that is in the program opens the library that INTEL_LIBITTNOTIFY64
// names, which `vftrace run` sets, and calls __itt_api_init(), which stores functions in ITT's
// table. A program may have several copies of that part, each with a table of its own.
#include "annotations/tool_functions.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <pthread.h>

using namespace vftrace::annotations;

namespace {

constexpr Interface itt = Interface::itt;

// The structures of ittnotify_config.h, version 3; they have been the same since 2010.
struct Domain {
    volatile int flags;  // 0: the program's macros do not call us
    const char* name;
    void* wide_name;
    int extra_number;
    void* extra;
    Domain* next;
};
struct StringHandle {
    const char* text;
    void* wide_text;
    int extra_number;
    void* extra;
    StringHandle* next;
};
struct Id {
    unsigned long long words[3];
};
struct ApiFunction {
    const char* name;
    void** function;
    void* initial;
    void* without_collector;
    int group;
};
struct Global {
    unsigned char magic[8];
    unsigned long version[3];
    long initialised, mutex_initialised, initialising;
    pthread_mutex_t mutex;
    void* library;
    void* error_handler;
    const char** library_path;
    ApiFunction* functions;
    Global* next;
    void* threads;
    Domain* domains;
    StringHandle* strings;
    int state;
};

// Objects of one type by their names, made once and never freed. The lock: texts are few, and
// looked for when they are made.
template <class Object, const char* Object::*name>
class ByName {
  public:
    Object* find_or_make(const char* text, Object made) {
        if (!text)
            text = "";
        if (!lock_.lock())
            return nullptr;
        Object* at = first_;
        while (at && std::strcmp(at->*name, text) != 0)
            at = at->next;
        const std::size_t length = std::strlen(text);
        if (!at && (at = static_cast<Object*>(std::calloc(1, sizeof(Object) + length + 1)))) {
            auto* const copy = reinterpret_cast<char*>(at + 1);  // the final zero is there
            std::memcpy(copy, text, length);
            *at = made;
            at->*name = copy;
            at->next = first_;
            first_ = at;
        }
        lock_.unlock();
        return at;
    }

  private:
    ShortLock lock_;
    Object* first_ = nullptr;
};
ByName<Domain, &Domain::name> domains;
ByName<StringHandle, &StringHandle::text> strings;

const char* name_of(const Domain* domain) { return domain ? domain->name : ""; }
const char* text_of(const StringHandle* handle) { return handle ? handle->text : ""; }
TaskId task_id(const Domain* domain, const Id& id) {
    return {itt, {number_of(domain), id.words[0] ^ id.words[1] << 1, id.words[2]}};
}

Domain* domain_create(const char* name) {
    return domains.find_or_make(name, {1, nullptr, nullptr, 0, nullptr, nullptr});
}
StringHandle* string_handle_create(const char* text) { return strings.find_or_make(text, {}); }

void task_begin(const Domain* domain, Id, Id, StringHandle* name) {
    begin(itt, Role::region, text_of(name), VFTRACE_STACK, name_of(domain));
}
void task_begin_fn(const Domain* domain, Id, Id, void*) {
    begin(itt, Role::region, "(function)", VFTRACE_STACK, name_of(domain));
}
void task_end(const Domain* domain) { end(itt, Role::region, nullptr, name_of(domain)); }
void task_begin_ex(const Domain* domain, void*, unsigned long long, Id, Id, StringHandle* name) {
    begin(itt, Role::region, text_of(name), VFTRACE_STACK, name_of(domain));
}
void task_end_ex(const Domain* domain, void*, unsigned long long) {
    end(itt, Role::region, nullptr, name_of(domain));
}

// These say which one ends, and may overlap.
void task_begin_overlapped(const Domain* domain, Id id, Id, StringHandle* name) {
    begin_task(task_id(domain, id), text_of(name), name_of(domain));
}
void task_end_overlapped(const Domain* domain, Id id) { end_task(task_id(domain, id)); }
void task_begin_overlapped_ex(const Domain* domain, void*, unsigned long long, Id id, Id,
                              StringHandle* name) {
    begin_task(task_id(domain, id), text_of(name), name_of(domain));
}
void task_end_overlapped_ex(const Domain* domain, void*, unsigned long long, Id id) {
    end_task(task_id(domain, id));
}
void region_begin(const Domain* domain, Id id, Id, StringHandle* name) {
    begin_task(task_id(domain, id), text_of(name), name_of(domain));
}
void region_end(const Domain* domain, Id id) { end_task(task_id(domain, id)); }
void frame_begin(const Domain* domain, Id* id) {
    begin_task(task_id(domain, id ? *id : Id{}), name_of(domain), "frame");
}
void frame_end(const Domain* domain, Id* id) { end_task(task_id(domain, id ? *id : Id{})); }

// Events of the older interface: numbers by names.
constexpr int most_events = 1024;
Handle* events[most_events];
int events_made;
int event_create(const char* name, int length) {
    const int number = __atomic_add_fetch(&events_made, 1, __ATOMIC_RELAXED);
    if (number < most_events)
        events[number] = new_handle(itt, Role::region, FortranText(name, length));
    return number;
}
Handle* event_of(int number) {
    return number > 0 && number < most_events ? events[number] : nullptr;
}
int event_start(int number) {
    begin(event_of(number), VFTRACE_STACK);
    return 0;
}
int event_end(int number) {
    end(event_of(number), itt);
    return 0;
}

void pause_collection() { pause(itt, VFTRACE_STACK); }
void resume_collection() { resume(itt, __builtin_return_address(0), VFTRACE_STACK); }

void thread_set_name(const char* name) {
    constexpr std::size_t longest = 15;  // of a thread's name, which the kernel has
    char text[longest + 1] = {};
    if (name)
        std::strncpy(text, name, longest);
    pthread_setname_np(pthread_self(), text);
}

// Counters: a handle is what the program gets.
struct Counter {
    Handle* handle;
    int type;
    std::int64_t now;  // of one that is increased and decreased
};
Counter* counter_create_typed(const char* name, const char* domain, int type) {
    auto* const counter = static_cast<Counter*>(std::calloc(1, sizeof(Counter)));
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", domain ? domain : "", domain && *domain ? "." : "",
             name ? name : "");
    if (counter) {
        counter->handle = new_handle(itt, Role::counter, text);
        counter->type = type;
        set_handle(itt, number_of(counter), counter->handle);
    }
    return counter;
}
Counter* counter_create(const char* name, const char* domain) {
    return counter_create_typed(name, domain, 1);
}
void add_to_counter(Counter* counter, std::int64_t change) {
    if (counter && handle_of(itt, number_of(counter)))
        value(counter->handle,
              static_cast<double>(__atomic_add_fetch(&counter->now, change, __ATOMIC_RELAXED)));
}
void counter_inc(Counter* counter) { add_to_counter(counter, 1); }
void counter_dec(Counter* counter) { add_to_counter(counter, -1); }
void counter_inc_delta(Counter* counter, unsigned long long change) {
    add_to_counter(counter, static_cast<std::int64_t>(change));
}
void counter_dec_delta(Counter* counter, unsigned long long change) {
    add_to_counter(counter, -static_cast<std::int64_t>(change));
}
template <class Number>
double number_at(const void* place) {
    Number number{};
    std::memcpy(&number, place, sizeof number);
    return static_cast<double>(number);
}
// A number of one of the types of ittnotify.h (__itt_metadata_type).
double number_of_type(int type, const void* place) {
    switch (type) {
    case 1:
        return number_at<std::uint64_t>(place);
    case 2:
        return number_at<std::int64_t>(place);
    case 3:
        return number_at<std::uint32_t>(place);
    case 4:
        return number_at<std::int32_t>(place);
    case 5:
        return number_at<std::uint16_t>(place);
    case 6:
        return number_at<std::int16_t>(place);
    case 7:
        return number_at<float>(place);
    case 8:
        return number_at<double>(place);
    default:
        return 0;
    }
}
constexpr int last_type = 8;
void counter_set_value(Counter* counter, void* place) {
    if (counter && place && counter->type >= 1 && counter->type <= last_type &&
        handle_of(itt, number_of(counter)))
        value(counter->handle, number_of_type(counter->type, place));
}

void marker(const Domain* domain, Id, StringHandle* name, int) {
    happened(itt, Role::marker, text_of(name), 0, name_of(domain));
}
void metadata_add(const Domain*, Id, StringHandle* key, int type, std::size_t count, void* data) {
    if (!data || count == 0 || type < 1 || type > last_type)
        return;
    char text[64];
    snprintf(text, sizeof text, "%.17g", number_of_type(type, data));
    metadata(itt, text_of(key), text);
}
void metadata_str_add(const Domain*, Id, StringHandle* key, const char* data, std::size_t length) {
    metadata(itt, text_of(key), FortranText(data, length > 0 ? static_cast<long>(length) : 255));
}

// The OpenMP libraries of LLVM and Intel contain ITT, too. What they do is known from OMPT.
bool is_openmp_library(const void* address) {
    Dl_info place;
    if (!dladdr(address, &place) || !place.dli_fname)
        return false;
    const char* const slash = std::strrchr(place.dli_fname, '/');
    const char* const name = slash ? slash + 1 : place.dli_fname;
    return std::strncmp(name, "libomp", 6) == 0 || std::strncmp(name, "libiomp", 7) == 0;
}

struct Function {
    const char* name;
    void* ours;
};
template <class Any>
void* any(Any* function) {
    return reinterpret_cast<void*>(function);
}
// By the names in ITT's table; those of functions for texts of one byte have two forms.
const Function functions[] = {{"__itt_domain_create", any(domain_create)},
                              {"__itt_domain_createA", any(domain_create)},
                              {"__itt_string_handle_create", any(string_handle_create)},
                              {"__itt_string_handle_createA", any(string_handle_create)},
                              {"__itt_task_begin", any(task_begin)},
                              {"__itt_task_begin_fn", any(task_begin_fn)},
                              {"__itt_task_end", any(task_end)},
                              {"__itt_task_begin_ex", any(task_begin_ex)},
                              {"__itt_task_end_ex", any(task_end_ex)},
                              {"__itt_task_begin_overlapped", any(task_begin_overlapped)},
                              {"__itt_task_end_overlapped", any(task_end_overlapped)},
                              {"__itt_task_begin_overlapped_ex", any(task_begin_overlapped_ex)},
                              {"__itt_task_end_overlapped_ex", any(task_end_overlapped_ex)},
                              {"__itt_region_begin", any(region_begin)},
                              {"__itt_region_end", any(region_end)},
                              {"__itt_frame_begin_v3", any(frame_begin)},
                              {"__itt_frame_end_v3", any(frame_end)},
                              {"__itt_event_create", any(event_create)},
                              {"__itt_event_createA", any(event_create)},
                              {"__itt_event_start", any(event_start)},
                              {"__itt_event_end", any(event_end)},
                              {"__itt_pause", any(pause_collection)},
                              {"__itt_resume", any(resume_collection)},
                              {"__itt_thread_set_name", any(thread_set_name)},
                              {"__itt_thread_set_nameA", any(thread_set_name)},
                              {"__itt_counter_create", any(counter_create)},
                              {"__itt_counter_createA", any(counter_create)},
                              {"__itt_counter_create_typed", any(counter_create_typed)},
                              {"__itt_counter_create_typedA", any(counter_create_typed)},
                              {"__itt_counter_inc", any(counter_inc)},
                              {"__itt_counter_dec", any(counter_dec)},
                              {"__itt_counter_inc_delta", any(counter_inc_delta)},
                              {"__itt_counter_dec_delta", any(counter_dec_delta)},
                              {"__itt_counter_set_value", any(counter_set_value)},
                              {"__itt_marker", any(marker)},
                              {"__itt_metadata_add", any(metadata_add)},
                              {"__itt_metadata_str_add", any(metadata_str_add)},
                              {"__itt_metadata_str_addA", any(metadata_str_add)}};

}  // namespace

// Called by each copy of ITT's static part, under its own lock.
extern "C" [[gnu::visibility("default")]] void __itt_api_init(Global* global, int) {
    if (!global || !global->functions)
        return;
    const bool is_wanted = calls && calls->takes(itt) && !is_openmp_library(global);
    for (const ApiFunction* at = global->functions; at->name; at++) {
        if (!at->function)
            continue;
        // Without a function, the program's macros do nothing.
        *at->function = nullptr;
        for (const Function& function : functions)
            if (is_wanted && std::strcmp(at->name, function.name) == 0)
                *at->function = function.ours;
    }
    if (!is_wanted)
        return;
    for (Domain* domain = global->domains; domain; domain = domain->next)
        domain->flags = 1;
}
extern "C" [[gnu::visibility("default")]] int __itt_api_version() { return 3; }
