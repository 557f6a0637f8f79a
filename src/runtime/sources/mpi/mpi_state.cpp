// MPI in this process: its beginning and end.
#include "mpi/mpi_state.hpp"

#include "base/message.hpp"
#include "config/options.hpp"
#include "config/rank_list.hpp"
#include "mpi/functions.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/source.hpp"

namespace vftrace {

MpiSettings mpi_settings;

namespace {

void prepare(const Options& options) {
    mpi_settings = {.active = true,
                    .log_messages = options.mpi_log_messages,
                    .show_sync_time = options.mpi_show_sync_time,
                    .only_for_ranks = new RankList(*RankList::parse(options.mpi_only_for_ranks))};
}

}  // namespace

constexpr Source mpi_source = {.prepare = prepare};

MpiProcess mpi_process;

namespace {

bool pcontrol_logging = true;
int open_sessions;
bool unknown_family;  // about which one message is enough

void apply_settings() {
    mpi_process.everyone = !mpi_settings.only_for_ranks || mpi_settings.only_for_ranks->is_all();
    mpi_process.listed = mpi_process.everyone || is_listed(mpi_process.rank);
    int level = 0;  // each session may have a different one
    mpi_process.threads_multiple = mpi_process.sessions ||
                                   call_real(FunctionId::MPI_Query_thread, word_of(&level)) != 0 ||
                                   level == family.constants.thread_multiple;
    mpi_process.initialised = mpi_process.used = true;
    log_messages(pcontrol_logging);
    note_mpi_in_record();
}

}  // namespace

void note_mpi_in_record() {
    if (!process_record || !mpi_process.used)
        return;
    process_record->rank = static_cast<std::uint32_t>(mpi_process.rank);
    process_record->ranks = static_cast<std::uint32_t>(mpi_process.size);
    process_record->uses_mpi = true;
}

bool is_listed(std::int32_t world_rank) {
    return mpi_settings.only_for_ranks->contains(world_rank);
}

void log_messages(bool wanted) {
    pcontrol_logging = wanted;
    mpi_process.logging = wanted && mpi_process.initialised && mpi_settings.log_messages;
}

void mpi_begins() {
    if (mpi_process.sessions && mpi_process.initialised)
        call_real(FunctionId::MPI_Group_free, word_of(&mpi_process.world_group));
    find_family();
    unknown_family = !family.known;
    if (!family.known)
        return;
    Word world = static_cast<Word>(family.constants.comm_world);
    if (call_real(FunctionId::MPI_Comm_rank, world, word_of(&mpi_process.rank)) != 0 ||
        call_real(FunctionId::MPI_Comm_size, world, word_of(&mpi_process.size)) != 0 ||
        call_real(FunctionId::MPI_Comm_group, world, word_of(&mpi_process.world_group)) != 0)
        return;
    mpi_process.sessions = false;
    apply_settings();
}

void mpi_is_initialised() {
    mpi_begins();
    lifecycle_calls.mpi_has_begun();
}

void mpi_has_begun_before() {
    int initialised = 0, finalised = 0;
    if (unknown_family)
        return;
    if (real_function(FunctionId::MPI_Initialized) && real_function(FunctionId::MPI_Finalized) &&
        call_real(FunctionId::MPI_Initialized, word_of(&initialised)) == 0 && initialised &&
        call_real(FunctionId::MPI_Finalized, word_of(&finalised)) == 0 && !finalised)
        mpi_begins();
}

void mpi_ends() {
    if (!mpi_process.initialised)
        mpi_has_begun_before();
    if (mpi_process.initialised && !mpi_process.sessions)
        lifecycle_calls.mpi_ends();
    mpi_process.logging = false;
    if (mpi_process.initialised)
        call_real(FunctionId::MPI_Group_free, word_of(&mpi_process.world_group));
    mpi_process.initialised = false;
}

void mpi_aborts() { lifecycle_calls.mpi_aborts(); }

void mpi_session_begins(Word session) {
    if (open_sessions++ > 0 || mpi_process.initialised ||
        !real_function(FunctionId::MPI_Group_from_session_pset))
        return;
    find_family();
    if (!family.known)
        return;
    Word handle = handle_at(session);
    if (call_real(FunctionId::MPI_Group_from_session_pset, handle, word_of("mpi://WORLD"),
                  word_of(&mpi_process.world_group)) != 0 ||
        call_real(FunctionId::MPI_Group_rank, mpi_process.world_group,
                  word_of(&mpi_process.rank)) != 0 ||
        call_real(FunctionId::MPI_Group_size, mpi_process.world_group,
                  word_of(&mpi_process.size)) != 0)
        return;
    mpi_process.sessions = true;
    apply_settings();
}

void mpi_session_ends() {
    if (open_sessions == 0 || --open_sessions > 0 || !mpi_process.sessions ||
        !mpi_process.initialised)
        return;
    call_real(FunctionId::MPI_Group_free, word_of(&mpi_process.world_group));
    mpi_process.initialised = mpi_process.logging = false;
}

}  // namespace vftrace
