#include "heap/memory_nodes.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_files.hpp"
#include "guest/own_errno.hpp"
#include "record/process_record.hpp"

namespace vftrace {
namespace {

constexpr unsigned most_nodes = 128;
// By processor: its node + 1; 0: not known.
std::uint8_t node_after[ProcessorSet::most];

// Linux, Documentation/admin-guide/cputopology.rst: "0-3,8".
void note_processors(std::string_view list, unsigned node) {
    const char* at = list.data();
    const char* const end = at + list.size();
    while (at < end) {
        std::size_t first, last;
        const auto [after, error] = std::from_chars(at, end, first);
        if (error != std::errc())
            return;
        at = after;
        last = first;
        if (at < end && *at == '-') {
            const auto [after_last, error_of_last] = std::from_chars(at + 1, end, last);
            if (error_of_last != std::errc())
                return;
            at = after_last;
        }
        for (std::size_t i = first; i <= std::min<std::size_t>(last, ProcessorSet::most - 1); i++)
            node_after[i] = static_cast<std::uint8_t>(node + 1);
        if (at < end && *at != ',')
            return;
        at++;
    }
}

unsigned read_table(std::string_view table) {
    unsigned nodes = 0;
    while (!table.empty() && nodes < most_nodes) {
        const std::size_t length = std::min(table.find(';'), table.size());
        note_processors(table.substr(0, length), nodes++);
        table.remove_prefix(std::min(length + 1, table.size()));
    }
    return nodes;
}

// Linux, Documentation/ABI/stable/sysfs-devices-node. Numbers of nodes may have gaps.
unsigned read_system() {
    unsigned nodes = 0;
    for (unsigned node = 0; node < most_nodes; node++) {
        char path[64] = "/sys/devices/system/node/node";
        char* const end = std::to_chars(path + std::strlen(path), path + 48, node).ptr;
        constexpr char file[] = "/cpulist";
        std::memcpy(end, file, sizeof file);
        char room[1024];
        const std::string_view list = start_of_file(path, room);
        if (list.empty() || list.front() == '\n')  // no such node, or one without processors
            continue;
        note_processors(list, node);
        nodes++;
    }
    return nodes;
}

}  // namespace

unsigned read_memory_nodes(std::string_view table) {
    return table.empty() ? read_system() : read_table(table);
}

std::uint16_t memory_node_of(unsigned processor) {
    const unsigned node = processor < ProcessorSet::most ? node_after[processor] : 0;
    return node == 0 ? no_memory_node : static_cast<std::uint16_t>(node - 1);
}

std::uint16_t memory_node_of_page(std::uintptr_t address) {
    const int saved_errno = own_errno();
    int status = -1;
    const long result = syscall(SYS_move_pages, 0, std::size_t{1}, &address, nullptr, &status, 0);
    own_errno() = saved_errno;
    return result == 0 && status >= 0 && status < no_memory_node
               ? static_cast<std::uint16_t>(status)
               : no_memory_node;
}

}  // namespace vftrace
