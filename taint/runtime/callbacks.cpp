// Functions of the C library that call functions of the program, which would mistake labels left by
// an earlier call for those of their arguments; and dlsym, which finds functions by name.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include "taint/runtime/sanitizer.hpp"

namespace {

using Compare = int (*)(const void*, const void*);

int compare(Compare function, const void* a, const void* b) {
    dfsan_clear_arg_tls(0, 2 * sizeof(std::uint64_t));
    return function(a, b);
}

void copy(char* to, const char* from, std::size_t size) {
    std::memcpy(to, from, size);
    dfsan_mem_shadow_transfer(to, from, size);
}

// Like the C library's sort, it keeps the order of equal elements. Labels move with the elements.
void merge_sort(char* list, std::size_t count, std::size_t size, Compare function, char* room) {
    if (count < 2)
        return;
    const std::size_t half = count / 2;
    merge_sort(list, half, size, function, room);
    merge_sort(list + half * size, count - half, size, function, room);
    copy(room, list, half * size);
    const char* left = room;
    const char* const left_end = room + half * size;
    const char* right = list + half * size;
    const char* const right_end = list + count * size;
    char* place = list;
    while (left != left_end) {
        const bool take_left = right == right_end || compare(function, left, right) <= 0;
        const char*& next = take_left ? left : right;
        copy(place, next, size);
        next += size;
        place += size;
    }
}

}  // namespace

extern "C" {

void __dfsw_qsort(void* list, std::size_t count, std::size_t size, Compare function, Label, Label,
                  Label, Label) {
    auto* room = static_cast<char*>(std::malloc(count / 2 * size + 1));
    if (!room) {
        qsort(list, count, size, function);
        return;
    }
    merge_sort(static_cast<char*>(list), count, size, function, room);
    std::free(room);
}

void* __dfsw_bsearch(const void* key, const void* list, std::size_t count, std::size_t size,
                     Compare function, Label, Label, Label, Label, Label, Label* result) {
    *result = 0;
    std::size_t begin = 0;
    for (std::size_t end = count; begin < end;) {
        const std::size_t middle = begin + (end - begin) / 2;
        const auto* element = static_cast<const char*>(list) + middle * size;
        const int order = compare(function, key, element);
        if (order == 0)
            return const_cast<char*>(element);
        if (order < 0)
            end = middle;
        else
            begin = middle + 1;
    }
    return nullptr;
}

// Functions compiled for the analysis have different names.
void* __dfsw_dlsym(void* library, const char* name, Label, Label, Label* result) {
    *result = 0;
    char instrumented[1024];
    const std::size_t length = std::strlen(name);
    if (length + sizeof ".dfsan" <= sizeof instrumented) {
        std::memcpy(instrumented, name, length);
        std::memcpy(instrumented + length, ".dfsan", sizeof ".dfsan");
        if (void* found = dlsym(library, instrumented))
            return found;
    }
    return dlsym(library, name);
}

}  // extern "C"
