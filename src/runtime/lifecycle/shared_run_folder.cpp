#include "lifecycle/shared_run_folder.hpp"

#include <string>
#include <string_view>

#include "base/guarded.hpp"
#include "base/text.hpp"
#include "config/run_folder.hpp"
#include "lifecycle/run.hpp"
#include "mpi/mpi_state.hpp"
#include "ranks/world_communicator.hpp"
#include "tree/own_record.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

constexpr std::size_t longest_name = 256;

void take_name(std::string_view name) {
    const std::string folder =
        run->run_folder.substr(0, run->run_folder.rfind('/') + 1) + std::string(name);
    run->output_base = folder + run->output_base.substr(run->run_folder.size());
    run->run_folder = folder;
    if (process_record)
        process_record->output_base = keep_text(run->output_base.c_str());
}

// Passes the name on before memory is allocated for it, because the other ranks wait.
void share() {
    WorldCommunicator ranks;
    const TreeNeighbours neighbours = find_neighbours(ranks);
    std::string_view name = base_name(run->run_folder);
    char received[longest_name];
    std::size_t bytes = 0;
    const bool has_received = ranks.rank() > 0 && neighbours.parent &&
                              ranks.receive_into(tree_parent(ranks.rank()), received, bytes);
    if (has_received)
        name = {received, bytes};
    for (int which = 0; which < 2; which++)
        if (neighbours.children[which])
            ranks.send(tree_child(ranks.rank(), which), name.data(), name.size());
    if (has_received)
        run_guarded([name] { take_name(name); });
}

}  // namespace

void share_run_folder() {
    if (!run || run->run_folder.empty() || run->run_folder_agreed || mpi_process.size < 2 ||
        base_name(run->run_folder).size() > longest_name || !WorldCommunicator::is_possible())
        return;
    run->run_folder_agreed = true;
    share();
}

void make_own_run_folder() {
    if (!run->run_folder.empty())
        make_run_folder(run->run_folder.c_str());
}

}  // namespace vftrace
