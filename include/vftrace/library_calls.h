/* How the other headers reach libvftrace without being linked to it. Not to be included by programs
 * directly.
 *
 * The library has tables of functions. Each is returned by a function with the same name as its
 * structure, for which a program looks once, among the libraries that are linked or preloaded. */
#ifndef VFTRACE_LIBRARY_CALLS_H
#define VFTRACE_LIBRARY_CALLS_H

/* For functions in headers, which must not appear in profiles. */
#ifdef __GNUC__
#define VFTRACE_DETAIL_UNSEEN __attribute__((no_instrument_function))
#else
#define VFTRACE_DETAIL_UNSEEN
#endif

#ifdef __GNUC__

#ifdef __cplusplus
extern "C" {
#endif

#define VFTRACE_DETAIL_SHARED __attribute__((weak, visibility("hidden")))
#define VFTRACE_DETAIL_FUNCTION __attribute__((unused, no_instrument_function)) static

static void* vftrace_detail_dlsym(void* library, const char* name)
    __attribute__((weakref("dlsym"), unused));

/* Its address marks a table that has not been looked for yet. */
VFTRACE_DETAIL_SHARED void* vftrace_detail_unknown = 0;

/* Defines getter##_found(), which returns the table, or a null pointer without the library. */
#define VFTRACE_DETAIL_LIBRARY_CALLS(getter)                                                       \
    static const struct getter* getter##_linked(void) __attribute__((weakref(#getter)));           \
    VFTRACE_DETAIL_SHARED const struct getter* getter##_known =                                    \
        (const struct getter*)&vftrace_detail_unknown;                                             \
    __attribute__((noinline, cold))                                                                \
    VFTRACE_DETAIL_FUNCTION const struct getter* getter##_looked_for(void) {                       \
        const struct getter* (*get)(void) = 0;                                                     \
        const struct getter* found = 0;                                                            \
        if (getter##_linked)                                                                       \
            get = getter##_linked;                                                                 \
        else if (vftrace_detail_dlsym)                                                             \
            *(void**)&get = vftrace_detail_dlsym(0, #getter);                                      \
        if (get)                                                                                   \
            found = get();                                                                         \
        __atomic_store_n(&getter##_known, found, __ATOMIC_RELEASE);                                \
        return found;                                                                              \
    }                                                                                              \
    VFTRACE_DETAIL_FUNCTION inline const struct getter* getter##_found(void) {                     \
        const struct getter* calls = __atomic_load_n(&getter##_known, __ATOMIC_ACQUIRE);           \
        if (calls == (const struct getter*)&vftrace_detail_unknown)                                \
            calls = getter##_looked_for();                                                         \
        return calls;                                                                              \
    }

/* Defines a function that executes `call` with the table `calls`, or `otherwise` without the
 * library. */
#define VFTRACE_DETAIL_LIBRARY_CALL(getter, type, name, parameters, call, otherwise)               \
    VFTRACE_DETAIL_FUNCTION inline type name parameters {                                          \
        const struct getter* calls = getter##_found();                                             \
        if (calls)                                                                                 \
            call;                                                                                  \
        else                                                                                       \
            otherwise;                                                                             \
    }

#ifdef __cplusplus
}
#endif

#endif

#endif
