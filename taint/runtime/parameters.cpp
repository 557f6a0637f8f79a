// The parameters that the user has marked, and their labels.
#include "taint/runtime/parameters.hpp"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace vftrace::taint {
namespace {

constexpr std::size_t most_parameters = 63;

// In the order of their registration. Those before `first` do not have a label in this run.
constinit Array<const char*> names;
constinit Array<const char*> without_label;
std::size_t first;
std::size_t skipped_before;  // by VFTR_TAINT_SKIP: they are not in the result
bool with_mpi;
bool mpi_is_known;

int labels_of_parameters() { return uses_mpi() ? label_count - 1 : label_count; }

char* copy_of(const char* text) {
    const std::size_t size = std::strlen(text) + 1;
    return static_cast<char*>(std::memcpy(allocate(size), text, size));
}

bool is_in(const Array<const char*>& list, const char* name) {
    for (const char* each : list)
        if (std::strcmp(each, name) == 0)
            return true;
    return false;
}

// The label of a parameter of this name; 0 if it has none in this run.
Label label_of(const char* name) {
    if (uses_mpi() && std::strcmp(name, "p") == 0)
        return label_of_ranks();
    std::size_t index = 0;
    while (index < names.size && std::strcmp(names[index], name) != 0)
        ++index;
    const std::size_t end = first + static_cast<std::size_t>(labels_of_parameters());
    if (index == names.size) {
        if (index >= end || index >= most_parameters) {
            if (!is_in(without_label, name)) {
                without_label.add(copy_of(name));
                message("parameter %s needs another run: there are %d labels%s", name, label_count,
                        uses_mpi() ? ", one of which is that of p" : "");
            }
            return 0;
        }
        names.add(copy_of(name));
    }
    return index >= first && index < end ? static_cast<Label>(1u << (index - first)) : Label{0};
}

// The label that a parameter of this name has already; all if it is null.
Label known_label(const char* name) {
    if (!name)
        return static_cast<Label>(~0u);
    const Locked locked;
    const bool is_known = (uses_mpi() && std::strcmp(name, "p") == 0) || is_in(names, name);
    return is_known ? label_of(name) : Label{0};
}

bool is_memory(const void* address, std::size_t size) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address) / page * page;
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(address) + size;
    if (end < begin || !can_have_labels(address) ||
        !can_have_labels(reinterpret_cast<void*>(end - 1)))
        return false;
    return madvise(reinterpret_cast<void*>(begin), end - begin, MADV_NORMAL) == 0 ||
           errno != ENOMEM;
}

void mark(void* variable, std::size_t size, const char* name) {
    if (!name || !*name) {
        message("a parameter without a name is left out");
        return;
    }
    if (size == 0 || !is_memory(variable, size)) {
        message("parameter %s is left out: %zu bytes at %p are not a variable", name, size,
                variable);
        return;
    }
    Label label = 0;
    {
        const Locked locked;
        label = label_of(name);
    }
    if (label != 0)
        dfsan_add_label(label, variable, size);
}

// definition: one of "n=argv[2],m=1000"; the second one does not mark anything.
void mark_argument(char* definition, int argument_count, char** arguments) {
    char* equals = std::strchr(definition, '=');
    int number = 0;
    int length = 0;
    if (!equals || std::sscanf(equals + 1, "argv[%d]%n", &number, &length) != 1 || length == 0 ||
        equals[1 + length] != '\0')
        return;
    *equals = '\0';
    if (number < 0 || number >= argument_count)
        message("parameter %s is left out: the program does not have an argument argv[%d]",
                definition, number);
    else if (*arguments[number] == '\0')
        message("parameter %s is left out: argv[%d] is empty", definition, number);
    else
        mark(arguments[number], std::strlen(arguments[number]), definition);
}

}  // namespace

bool uses_mpi() {
    if (!mpi_is_known) {
        mpi_is_known = true;
        with_mpi = dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr;
    }
    return with_mpi;
}

Label label_of_ranks() { return uses_mpi() ? Label{1u << (label_count - 1)} : Label{0}; }

Parameters parameters_of(std::uint32_t label) {
    const Label ranks = label_of_ranks();
    return (Parameters{label & ~std::uint32_t{ranks}} << first) |
           ((label & ranks) != 0 ? ranks_parameter : 0);
}

std::size_t parameter_count() { return names.size; }

const char* parameter_name(std::size_t index) { return index == 63 ? "p" : names[index]; }

Parameters known_parameters() {
    Parameters known = uses_mpi() ? ranks_parameter : 0;
    for (std::size_t i = skipped_before; i < names.size; ++i)
        known |= Parameters{1} << i;
    return known;
}

const Array<const char*>& more_parameters() { return without_label; }

void continue_parameters(const char* const* earlier, std::size_t count) {
    const Locked locked;
    for (std::size_t i = 0; i < count && i < most_parameters; ++i)
        names.add(copy_of(earlier[i]));
    first = names.size;
}

void start_parameters(int argument_count, char** arguments) {
    if (const char* skip = std::getenv("VFTR_TAINT_SKIP"); skip && *skip) {
        char* end = nullptr;
        const unsigned long number = std::strtoul(skip, &end, 10);
        if (*end != '\0' || !std::isdigit(static_cast<unsigned char>(*skip)) ||
            number >= most_parameters)
            message("VFTR_TAINT_SKIP must be a number below %zu: %s is ignored", most_parameters,
                    skip);
        else if (first == 0)
            first = skipped_before = number;
    }
    const char* definitions = std::getenv("VFTR_PARAMETERS");
    if (!definitions || !*definitions)
        return;
    char* copy = nullptr;
    {
        const Locked locked;
        copy = copy_of(definitions);
    }
    char* rest = nullptr;
    for (char* each = strtok_r(copy, ",", &rest); each; each = strtok_r(nullptr, ",", &rest))
        mark_argument(each, argument_count, arguments);
}

}  // namespace vftrace::taint

extern "C" {

void vftrace_parameter(const void* variable, std::size_t size, const char* name) {
    vftrace::taint::mark(const_cast<void*>(variable), size, name);
}

void vftrace_parameter_typed(const void* variable, std::size_t size, const char* name, int) {
    vftrace::taint::mark(const_cast<void*>(variable), size, name);
}

int vftrace_parameter_has_label(const void* variable, std::size_t size, const char* name) {
    return size != 0 && vftrace::taint::is_memory(variable, size) &&
           (dfsan_read_label(variable, size) & vftrace::taint::known_label(name)) != 0;
}

void vftrace_parameter_delete_labels(void* variable, std::size_t size, const char* name) {
    if (size == 0 || !vftrace::taint::is_memory(variable, size))
        return;
    const unsigned deleted = vftrace::taint::known_label(name);
    for (auto* byte = static_cast<char*>(variable); size > 0; ++byte, --size)
        dfsan_set_label(static_cast<Label>(dfsan_read_label(byte, 1) & ~deleted), byte, 1);
}

}  // extern "C"
