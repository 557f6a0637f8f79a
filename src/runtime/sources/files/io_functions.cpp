// The functions of record/io_functions.inc, as programs find them when this library is preloaded:
// they call the C library's, and tell libvftrace what these did. Arguments, results, errno and
// cancellation are those of the real function.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest/frame_address.hpp"
#include "guest/next_function.hpp"
#include "guest/stream_descriptor.hpp"
#include "record/io_calls.hpp"

using vftrace::descriptor_of;
using vftrace::IoCall;
using vftrace::IoCalls;
using vftrace::IoFunction;
using vftrace::next_function;
using vftrace::Node;

namespace {

// Of libvftrace. Before it has given them, and when nobody wants to know, all callers are its own.
constexpr std::uintptr_t everywhere = ~std::uintptr_t{0};
IoCalls table = {.own_begin = 0, .own_end = everywhere};

constexpr long long at_position = IoCall::at_position;
constexpr std::size_t not_known = ~std::size_t{0};

long long length_of(const char* text) { return text ? static_cast<long long>(strlen(text)) : -1; }
std::size_t at_most(int size) { return size > 0 ? static_cast<std::size_t>(size) : 0; }

// Of the buffer of a stream (glibc: bits/types/struct_FILE.h), which another thread may be
// changing: what is found then is one of the two answers that are possible.
bool is_in_buffer(const FILE* stream, vftrace::IoOperation operation, std::size_t bytes) {
    const bool reads = operation == vftrace::IoOperation::read;
    const char* const from = reads ? stream->_IO_read_ptr : stream->_IO_write_ptr;
    const char* const to = reads ? stream->_IO_read_end : stream->_IO_write_end;
    return from && to > from && static_cast<std::size_t>(to - from) >= bytes;
}

struct ReadBuffer {
    const char *begin, *at, *end;
};
ReadBuffer buffer_of(const FILE* stream) {
    return {stream->_IO_read_base, stream->_IO_read_ptr, stream->_IO_read_end};
}
// The bytes that a call has taken; of one that has filled the buffer several times, those of the
// last.
long long read_since(const ReadBuffer& before, const FILE* stream) {
    const ReadBuffer now = buffer_of(stream);
    if (now.begin == before.begin && now.end == before.end && now.at >= before.at)
        return now.at - before.at;
    return (before.end - before.at) + (now.at - now.begin);
}

template <class Function>
[[gnu::always_inline]] inline const Node* begin(Function function) {
    return table.begins(function, vftrace::frame_address());
}

// Whether a wrapper's call is to be told: not one of libvftrace itself.
[[gnu::always_inline]] inline bool is_told(const void* caller) {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    const std::uintptr_t begin = __atomic_load_n(&table.own_begin, __ATOMIC_RELAXED);
    return address - begin >= __atomic_load_n(&table.own_end, __ATOMIC_RELAXED) - begin;
}
#define VFTRACE_IS_TOLD is_told(__builtin_return_address(0))

// A result that is an error.
bool is_failure(long long value) { return value < 0; }
bool is_failure(const void* value) { return !value; }

const char* readable(const char* path) { return errno == EFAULT ? nullptr : path; }

}  // namespace

extern "C" [[gnu::visibility("default")]] void vftrace_watch_io(const IoCalls* wanted) {
    if (!wanted) {
        __atomic_store_n(&table.own_end, everywhere, __ATOMIC_RELAXED);
        __atomic_store_n(&table.own_begin, std::uintptr_t{0}, __ATOMIC_RELAXED);
        return;
    }
    IoCalls given = *wanted;
    given.own_begin = 0;
    given.own_end = everywhere;
    table = given;  // the functions, before anybody may call them
    __atomic_store_n(&table.own_begin, wanted->own_begin, __ATOMIC_RELEASE);
    __atomic_store_n(&table.own_end, wanted->own_end, __ATOMIC_RELEASE);
}

// The C library's functions, looked up before the program may call one in a signal handler.
#define VFTRACE_REAL(name, result, parameters) static result(*real_##name) parameters;
#define VFTRACE_IO_DATA(name, operation, parameters, arguments, descriptor, offset)                \
    VFTRACE_REAL(name, ssize_t, parameters)
#define VFTRACE_IO_COPY(name, parameters, arguments, source, target)                               \
    VFTRACE_REAL(name, ssize_t, parameters)
#define VFTRACE_IO_STREAM(name, operation, result, parameters, arguments, stream, wanted, moved)   \
    VFTRACE_REAL(name, result, parameters)
#define VFTRACE_IO_FORMAT(name, operation, parameters, last, arguments, form, stream, moved)
#define VFTRACE_IO_CHARACTER(name, operation, parameters, arguments, stream)                       \
    VFTRACE_REAL(name, int, parameters)
#define VFTRACE_IO_OPEN(name, parameters, arguments, path) VFTRACE_REAL(name, int, parameters)
#define VFTRACE_IO_OPEN_STREAM(name, parameters, arguments, path, closed)                          \
    VFTRACE_REAL(name, FILE*, parameters)
#define VFTRACE_IO_CLOSE(name, result, parameters, arguments, descriptor)                          \
    VFTRACE_REAL(name, result, parameters)
#define VFTRACE_IO_SEEK(name, parameters, arguments, descriptor)                                   \
    VFTRACE_REAL(name, off_t, parameters)
#define VFTRACE_IO_OTHER(name, operation, result, parameters, arguments, descriptor, path)         \
    VFTRACE_REAL(name, result, parameters)
#include "record/io_functions.inc"
VFTRACE_REAL(open, int, (const char*, int, ...))
VFTRACE_REAL(open64, int, (const char*, int, ...))
VFTRACE_REAL(openat, int, (int, const char*, int, ...))
VFTRACE_REAL(openat64, int, (int, const char*, int, ...))
VFTRACE_REAL(mmap, void*, (void*, std::size_t, int, int, int, off_t))
VFTRACE_REAL(mmap64, void*, (void*, std::size_t, int, int, int, off_t))
VFTRACE_REAL(rewind, void, (FILE*))
VFTRACE_REAL(__overflow, int, (FILE*, int))
VFTRACE_REAL(__uflow, int, (FILE*))
VFTRACE_REAL(dup2, int, (int, int))
VFTRACE_REAL(dup3, int, (int, int, int))
VFTRACE_REAL(closefrom, void, (int))
VFTRACE_REAL(close_range, int, (unsigned, unsigned, int))

[[gnu::constructor(101)]] static void look_functions_up() {
#define VFTRACE_LOOK_UP(name) next_function(real_##name, #name);
#define VFTRACE_IO_FORMAT(name, operation, parameters, last, arguments, form, stream, moved)
#define VFTRACE_IO_NAME(name, operation) VFTRACE_LOOK_UP(name)
#include "record/io_functions.inc"
    VFTRACE_LOOK_UP(dup2)
    VFTRACE_LOOK_UP(dup3)
    VFTRACE_LOOK_UP(closefrom)
    VFTRACE_LOOK_UP(close_range)
}

#define VFTRACE_WRAPPER(name, result, parameters)                                                  \
    extern "C" [[gnu::visibility("default")]] result wrapped_##name parameters asm(#name);         \
    result wrapped_##name parameters

// `real arguments`, and then a statement with its `value` and its `node`.
#define VFTRACE_TOLD(name, result, arguments, then)                                                \
    const auto real = next_function(real_##name, #name);                                           \
    if (!VFTRACE_IS_TOLD)                                                                          \
        return real arguments;                                                                     \
    const Node* const node = begin(IoFunction::name);                                              \
    result value = real arguments;                                                                 \
    IoCall call{IoFunction::name, vftrace::frame_address()};                                       \
    call.failed = is_failure(value);                                                               \
    then;                                                                                          \
    table.ended(node, call);                                                                       \
    return value;

// libvftrace's own calls, or nobody wants to know.
static ssize_t counted_as_own(vftrace::IoOperation operation, ssize_t value) {
    if (table.own && value > 0) {
        const bool reads = operation == vftrace::IoOperation::read;
        const auto bytes = static_cast<std::size_t>(value);
        table.own(reads ? bytes : 0, reads ? 0 : bytes);
    }
    return value;
}

template <class Result>
static void set_bytes(IoCall& call, vftrace::IoOperation operation, Result moved) {
    const auto bytes = static_cast<long long>(moved);
    if (bytes > 0)
        (operation == vftrace::IoOperation::read ? call.read : call.written) = bytes;
    call.failed = bytes < 0;
}

#define VFTRACE_IO_DATA(name, operation, parameters, arguments, descriptor_, offset_)              \
    VFTRACE_WRAPPER(name, ssize_t, parameters) {                                                   \
        const auto real = next_function(real_##name, #name);                                       \
        if (!VFTRACE_IS_TOLD)                                                                      \
            return counted_as_own(vftrace::IoOperation::operation, real arguments);                \
        const Node* const node = begin(IoFunction::name);                                          \
        ssize_t value = real arguments;                                                            \
        IoCall call{IoFunction::name, vftrace::frame_address()};                                   \
        call.descriptor = descriptor_;                                                             \
        call.offset = offset_;                                                                     \
        set_bytes(call, vftrace::IoOperation::operation, value);                                   \
        table.ended(node, call);                                                                   \
        return value;                                                                              \
    }

// Two files: the node belongs to both, and its time to the source.
#define VFTRACE_IO_COPY(name, parameters, arguments, source, target_)                              \
    VFTRACE_WRAPPER(name, ssize_t, parameters) {                                                   \
        VFTRACE_TOLD(name, ssize_t, arguments,                                                     \
                     (call.descriptor = source, call.target = target_,                             \
                      set_bytes(call, vftrace::IoOperation::read, value)))                         \
    }

#define VFTRACE_TIMED(name, operation, result, real, arguments, stream_, moved)                    \
    [[maybe_unused]] const ReadBuffer before = buffer_of(stream_);                                 \
    const Node* const node = begin(IoFunction::name);                                              \
    result value = real arguments;                                                                 \
    IoCall call{IoFunction::name, vftrace::frame_address()};                                       \
    call.descriptor = descriptor_of(stream_);                                                      \
    call.stream = stream_;                                                                         \
    set_bytes(call, vftrace::IoOperation::operation, moved);                                       \
    table.ended(node, call);                                                                       \
    return value;

// Apart, so that calls that are only counted need few registers: what is timed, and what is called
// before the functions have been looked up.
#define VFTRACE_EARLY(name, result, parameters, arguments)                                         \
    [[gnu::noinline]] static result early_##name parameters {                                      \
        return next_function(real_##name, #name) arguments;                                        \
    }
#define VFTRACE_IO_STREAM(name, operation, result, parameters, arguments, stream_, wanted, moved)  \
    VFTRACE_EARLY(name, result, parameters, arguments)                                             \
    [[gnu::noinline]] static result timed_##name parameters{                                       \
        VFTRACE_TIMED(name, operation, result, real_##name, arguments, stream_,                    \
                      moved)} VFTRACE_WRAPPER(name, result, parameters) {                          \
        const auto real = __atomic_load_n(&real_##name, __ATOMIC_RELAXED);                         \
        if (!real) [[unlikely]]                                                                    \
            return early_##name arguments;                                                         \
        if (!VFTRACE_IS_TOLD || !(stream_))                                                        \
            return real arguments;                                                                 \
        const std::size_t bytes_wanted = static_cast<std::size_t>(wanted);                         \
        if (bytes_wanted == not_known ||                                                           \
            !is_in_buffer(stream_, vftrace::IoOperation::operation, bytes_wanted))                 \
            return timed_##name arguments;                                                         \
        [[maybe_unused]] const ReadBuffer before{};                                                \
        result value = real arguments;                                                             \
        if (const auto bytes = static_cast<long long>(moved); bytes > 0)                           \
            table.counted(IoFunction::name, stream_, static_cast<std::size_t>(bytes));             \
        return value;                                                                              \
    }

#define VFTRACE_IO_FORMAT(name, operation, parameters, last, arguments, form, stream_, moved)      \
    VFTRACE_WRAPPER(name, int, parameters) {                                                       \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        const auto real = next_function(real_##form, #form);                                       \
        if (!VFTRACE_IS_TOLD || !(stream_))                                                        \
            return real arguments;                                                                 \
        VFTRACE_TIMED(name, operation, int, real, arguments, stream_, moved)                       \
    }

#define VFTRACE_IO_CHARACTER(name, operation, parameters, arguments, stream_)                      \
    VFTRACE_EARLY(name, int, parameters, arguments)                                                \
    VFTRACE_WRAPPER(name, int, parameters) {                                                       \
        const auto real = __atomic_load_n(&real_##name, __ATOMIC_RELAXED);                         \
        if (!real) [[unlikely]]                                                                    \
            return early_##name arguments;                                                         \
        const int value = real arguments;                                                          \
        if (value != EOF && VFTRACE_IS_TOLD)                                                       \
            table.counted(IoFunction::name, stream_, 1);                                           \
        return value;                                                                              \
    }

// What the descriptor was before is not known.
static void note_opened(IoCall& call, int descriptor, const char* path) {
    if (descriptor >= 0)
        table.closed(static_cast<unsigned>(descriptor), static_cast<unsigned>(descriptor));
    call.descriptor = descriptor;
    call.path = call.failed ? readable(path) : nullptr;
}

#define VFTRACE_IO_OPEN(name, parameters, arguments, path)                                         \
    VFTRACE_WRAPPER(name, int, parameters) {                                                       \
        VFTRACE_TOLD(name, int, arguments, note_opened(call, value, path))                         \
    }

#define VFTRACE_IO_OPEN_STREAM(name, parameters, arguments, path, closed_)                         \
    VFTRACE_WRAPPER(name, FILE*, parameters) {                                                     \
        VFTRACE_TOLD(name, FILE*, arguments, note_opened(call, descriptor_of(value), path))        \
    }

// It is booked while the descriptor is known, and forgotten before another thread can get it.
#define VFTRACE_IO_CLOSE(name, result, parameters, arguments, descriptor_)                         \
    VFTRACE_WRAPPER(name, result, parameters) {                                                    \
        const auto real = next_function(real_##name, #name);                                       \
        if (!VFTRACE_IS_TOLD)                                                                      \
            return real arguments;                                                                 \
        const int number = descriptor_;                                                            \
        const Node* const node = begin(IoFunction::name);                                          \
        IoCall call{IoFunction::name, vftrace::frame_address()};                                   \
        call.descriptor = number;                                                                  \
        const vftrace::FileRecord* const file = table.file_of(number);                             \
        if (number >= 0)                                                                           \
            table.closed(static_cast<unsigned>(number), static_cast<unsigned>(number));            \
        result value = real arguments;                                                             \
        call.failed = is_failure(value);                                                           \
        call.file = file;                                                                          \
        table.ended(node, call);                                                                   \
        return value;                                                                              \
    }

#define VFTRACE_IO_SEEK(name, parameters, arguments, descriptor_)                                  \
    VFTRACE_WRAPPER(name, off_t, parameters) {                                                     \
        VFTRACE_TOLD(                                                                              \
            name, off_t, arguments,                                                                \
            (call.descriptor = descriptor_,                                                        \
             call.failed ? void() : table.moved(descriptor_, static_cast<long long>(value))))      \
    }

#define VFTRACE_IO_OTHER(name, operation, result, parameters, arguments, descriptor_, path_)       \
    VFTRACE_WRAPPER(name, result, parameters) {                                                    \
        VFTRACE_TOLD(                                                                              \
            name, result, arguments,                                                               \
            (call.descriptor = descriptor_, call.path = call.failed ? readable(path_) : path_))    \
    }
#include "record/io_functions.inc"

// rewind() has no result.
VFTRACE_WRAPPER(rewind, void, (FILE * stream)) {
    const auto real = next_function(real_rewind, "rewind");
    if (!VFTRACE_IS_TOLD)
        return real(stream);
    const Node* const node = begin(IoFunction::rewind);
    real(stream);
    IoCall call{IoFunction::rewind, vftrace::frame_address()};
    call.descriptor = descriptor_of(stream);
    table.ended(node, call);
}

// The mode is there only if a file may be created.
static bool has_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }
#define VFTRACE_OPEN(name)                                                                         \
    VFTRACE_WRAPPER(name, int, (const char* path, int flags, ...)) {                               \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = has_mode(flags) ? va_arg(list, mode_t) : 0;                            \
        va_end(list);                                                                              \
        VFTRACE_TOLD(name, int, (path, flags, mode), note_opened(call, value, path))               \
    }
VFTRACE_OPEN(open)
VFTRACE_OPEN(open64)

#define VFTRACE_OPEN_AT(name)                                                                      \
    VFTRACE_WRAPPER(name, int, (int folder, const char* path, int flags, ...)) {                   \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = has_mode(flags) ? va_arg(list, mode_t) : 0;                            \
        va_end(list);                                                                              \
        VFTRACE_TOLD(name, int, (folder, path, flags, mode), note_opened(call, value, path))       \
    }
VFTRACE_OPEN_AT(openat)
VFTRACE_OPEN_AT(openat64)

// Memory that is not mapped from a file is not recorded.
#define VFTRACE_MAP(name)                                                                          \
    VFTRACE_WRAPPER(name, void*,                                                                   \
                    (void* address, std::size_t bytes, int protection, int flags, int descriptor,  \
                     off_t offset)) {                                                              \
        const auto real = next_function(real_##name, #name);                                       \
        if (!VFTRACE_IS_TOLD || descriptor < 0)                                                    \
            return real(address, bytes, protection, flags, descriptor, offset);                    \
        const Node* const node = begin(IoFunction::name);                                          \
        void* const value = real(address, bytes, protection, flags, descriptor, offset);           \
        IoCall call{IoFunction::name, vftrace::frame_address()};                                   \
        call.descriptor = descriptor;                                                              \
        call.failed = value == MAP_FAILED;                                                         \
        table.ended(node, call);                                                                   \
        return value;                                                                              \
    }
VFTRACE_MAP(mmap)
VFTRACE_MAP(mmap64)

// What putc_unlocked() and getc_unlocked() call when they have filled or emptied the buffer in the
// program's own code: how many characters that were is not known.
VFTRACE_WRAPPER(__overflow, int, (FILE * stream, int character)){
    VFTRACE_TOLD(__overflow, int, (stream, character),
                 call.descriptor = descriptor_of(stream))} VFTRACE_WRAPPER(__uflow, int,
                                                                           (FILE * stream)){
    VFTRACE_TOLD(__uflow, int, (stream),
                 (call.failed = false, call.descriptor = descriptor_of(stream)))}

// Descriptors that become other files are only forgotten.
VFTRACE_WRAPPER(dup2, int, (int from, int to)) {
    const int value = next_function(real_dup2, "dup2")(from, to);
    if (value >= 0 && from != to && VFTRACE_IS_TOLD)
        table.closed(static_cast<unsigned>(to), static_cast<unsigned>(to));
    return value;
}
VFTRACE_WRAPPER(dup3, int, (int from, int to, int flags)) {
    const int value = next_function(real_dup3, "dup3")(from, to, flags);
    if (value >= 0 && VFTRACE_IS_TOLD)
        table.closed(static_cast<unsigned>(to), static_cast<unsigned>(to));
    return value;
}
VFTRACE_WRAPPER(closefrom, void, (int first)) {
    next_function(real_closefrom, "closefrom")(first);
    if (VFTRACE_IS_TOLD)
        table.closed(first > 0 ? static_cast<unsigned>(first) : 0, ~0u);
}
VFTRACE_WRAPPER(close_range, int, (unsigned first, unsigned last, int flags)) {
    const int value = next_function(real_close_range, "close_range")(first, last, flags);
    if (value == 0 && VFTRACE_IS_TOLD)
        table.closed(first, last);
    return value;
}
