#include "base/launcher.hpp"

#include <cstring>

namespace vftrace {
namespace {

const Launcher* launcher_in(char* const* environment) {
    for (const Launcher& launcher : launchers)
        if (const char* rank = value_in(environment, launcher.rank); rank && *rank)
            return &launcher;
    return nullptr;
}

// Whether a list such as "0 4" contains the rank. Open MPI lists the first ranks of all programs if
// a job has several programs.
bool has_rank(const char* list, const char* rank) {
    const std::size_t length = std::strlen(rank);
    for (list += std::strspn(list, " "); *list; list += std::strspn(list, " ")) {
        const std::size_t item = std::strcspn(list, " ");
        if (item == length && std::strncmp(list, rank, item) == 0)
            return true;
        list += item;
    }
    return false;
}

}  // namespace

const char* value_in(char* const* environment, const char* name) {
    const std::size_t length = std::strlen(name);
    for (; environment && *environment; environment++)
        if (std::strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return nullptr;
}

const char* launcher_rank(char* const* environment) {
    const Launcher* launcher = launcher_in(environment);
    return launcher ? value_in(environment, launcher->rank) : nullptr;
}

bool is_speaker(Speaker speaker, char* const* environment) {
    const Launcher* launcher = launcher_in(environment);
    if (!launcher)
        return true;
    const char* rank = value_in(environment, launcher->rank);
    const char* local_rank = launcher->local_rank && speaker == Speaker::machine
                                 ? value_in(environment, launcher->local_rank)
                                 : nullptr;
    if (std::strcmp(local_rank ? local_rank : rank, "0") == 0)
        return true;
    const char* first_ranks = value_in(environment, "OMPI_FIRST_RANKS");
    return speaker == Speaker::job && first_ranks && has_rank(first_ranks, rank);
}

}  // namespace vftrace
