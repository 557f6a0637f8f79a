// vftrace as a tool of OpenMP libraries that have OMPT, such as LLVM's and those derived from it.
//
// The library finds ompt_start_tool() when it starts. A region's Data points to its Team, that of
// an explicit task to the node of the task, that of the implicit task of a thread that takes part
// in a region to the Team, with the lowest bit set.
#include "openmp/ompt_tool.hpp"

#include "guest/openmp_library.hpp"
#include "openmp/ompt_devices.hpp"
#include "openmp/ompt_here.hpp"
#include "openmp/teams.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {
namespace {

bool active;
// What wrappers of GCC's functions have announced for the next callback (libgomp_wrappers.cpp).
__thread bool next_single_has_no_end;
__thread const void* code_of_next_task;

// The lock that the calling thread waits for.
__thread std::uint64_t lock_wanted_at;  // ticks; 0: none
__thread const void* lock_wanted_by;

constexpr std::uint64_t part_bit = 1;

// The address range of the library that reports events to us; empty if it is part of the program.
std::uintptr_t library_start, library_end;

// LLVM's library has its own team, which waits for target tasks to execute.
bool is_of_library(const void* code) {
    return code_address(code) >= library_start && code_address(code) < library_end;
}

constexpr Kind worksharing_kinds[] = {{ompt::work_loop, OpenmpConstruct::loop},
                                      {ompt::work_loop_static, OpenmpConstruct::loop},
                                      {ompt::work_loop_dynamic, OpenmpConstruct::loop},
                                      {ompt::work_loop_guided, OpenmpConstruct::loop},
                                      {ompt::work_loop_other, OpenmpConstruct::loop},
                                      {ompt::work_sections, OpenmpConstruct::sections},
                                      {ompt::work_single_executor, OpenmpConstruct::single},
                                      {ompt::work_workshare, OpenmpConstruct::workshare},
                                      {ompt::work_distribute, OpenmpConstruct::distribute},
                                      {ompt::work_taskloop, OpenmpConstruct::taskloop},
                                      {ompt::work_scope, OpenmpConstruct::scope}};

constexpr Kind barrier_kinds[] = {
    {ompt::sync_barrier, OpenmpConstruct::barrier},
    {ompt::sync_barrier_explicit, OpenmpConstruct::barrier},
    {ompt::sync_barrier_implicit, OpenmpConstruct::implicit_barrier},
    {ompt::sync_barrier_implementation, OpenmpConstruct::implicit_barrier},
    {ompt::sync_barrier_implicit_workshare, OpenmpConstruct::implicit_barrier},
    {ompt::sync_barrier_implicit_parallel, OpenmpConstruct::implicit_barrier},
    {ompt::sync_barrier_teams, OpenmpConstruct::implicit_barrier}};

constexpr Kind waits_for_mutexes[] = {{ompt::mutex_critical, OpenmpConstruct::critical_wait},
                                      {ompt::mutex_atomic, OpenmpConstruct::atomic_wait},
                                      {ompt::mutex_ordered, OpenmpConstruct::ordered_wait}};

// What holding a mutex is shown as.
constexpr Kind held_mutexes[] = {{ompt::mutex_critical, OpenmpConstruct::critical},
                                 {ompt::mutex_ordered, OpenmpConstruct::ordered}};

Team* team_of_part(const ompt::Data* task) {
    if (!task || !(task->value & part_bit))
        return nullptr;
    return reinterpret_cast<Team*>(task->value & ~part_bit);
}

Node* explicit_task(const ompt::Data* task) {
    return task && !(task->value & part_bit) ? static_cast<Node*>(task->pointer) : nullptr;
}

// ---- regions and their parts

void parallel_begins(ompt::Data*, const ompt::TaskFrame*, ompt::Data* region, unsigned, int flags,
                     const void* code) {
    if (is_of_library(code))
        return;
    Here here;
    if (!here)
        return;
    bool is_league = static_cast<unsigned>(flags) & ompt::parallel_league;
    OpenmpConstruct construct = is_league ? OpenmpConstruct::teams : OpenmpConstruct::parallel;
    region->pointer =
        begin_region(here.state(), openmp_key(construct, code_address(code)), here.stack());
}

void parallel_ends(ompt::Data* region, ompt::Data*, int, const void*) {
    if (!region->pointer)
        return;
    Here here(ompt::scope_end);
    end_region(here ? &here.state() : nullptr, static_cast<Team*>(region->pointer), here.stack());
}

void implicit_task(int endpoint, ompt::Data* region, ompt::Data* task, unsigned, unsigned index,
                   int) {
    if (endpoint == ompt::scope_begin) {
        // The one with index 0 is the encountering thread's.
        if (!region || !region->pointer || index == 0)
            return;
        if (Here here; here) {
            auto* team = static_cast<Team*>(region->pointer);
            begin_part(here.state(), team, here.stack());
            task->value = region->value | part_bit;
        }
        return;
    }
    Team* team = team_of_part(task);
    if (!team)
        return;
    if (Here here(endpoint); here && part_of(here.state()) == team)
        end_part(here.state());
}

void thread_ends(ompt::Data*) {
    if (Here here(ompt::scope_end); here && part_of(here.state()))
        end_part(here.state());
}

// ---- tasks

void task_is_created(ompt::Data*, const ompt::TaskFrame*, ompt::Data* task, int flags, int,
                     const void* code) {
    if (!(flags & (ompt::task_explicit | ompt::task_target)))
        return;
    if (code_of_next_task)
        code = code_of_next_task;
    code_of_next_task = nullptr;
    if (Here here; here)
        task->pointer = place_of_task(here.state(), code, here.stack());
}

void task_is_scheduled(ompt::Data* prior, int status, ompt::Data* next) {
    if (status == ompt::task_early_fulfill || status == ompt::task_late_fulfill)
        return;
    Here here;
    if (!here)
        return;
    // A task lies on the stack above the one that it interrupts, which continues after it.
    if (status == ompt::task_complete || status == ompt::task_cancel ||
        status == ompt::task_detach) {
        if (const Node* node = explicit_task(prior))
            leave_graft_of(here.state(), node, here.stack(), processor_ticks());
    } else if (const Node* node = explicit_task(next)) {
        enter_graft(node, here.stack());
    }
}

// ---- worksharing

void work(int kind, int endpoint, ompt::Data*, ompt::Data*, std::uint64_t, const void* code) {
    const OpenmpConstruct* construct = construct_of(worksharing_kinds, kind);
    Here here(endpoint);
    if (!construct || !here)
        return;
    if (endpoint & ompt::scope_begin)
        leave_unended_worksharing(here.state(), here.stack());
    here.enter_or_leave(*construct, endpoint, code);
    if (kind == ompt::work_single_executor && next_single_has_no_end)
        here.leave(*construct);
    next_single_has_no_end = false;
}

void masked(int endpoint, ompt::Data*, ompt::Data*, const void* code) {
    if (is_of_library(code))
        return;
    if (Here here(endpoint); here)
        here.enter_or_leave(OpenmpConstruct::masked, endpoint, code);
}

// ---- synchronisation

void synchronise(int kind, int endpoint, ompt::Data* region, ompt::Data*, const void* code) {
    if (is_of_library(code))
        return;
    Here here(endpoint);
    if (!here)
        return;
    if (kind == ompt::sync_taskwait)
        return here.enter_or_leave(OpenmpConstruct::taskwait, endpoint, code);
    if (kind == ompt::sync_taskgroup)
        return here.enter_or_leave(OpenmpConstruct::taskgroup, endpoint, code);
    const OpenmpConstruct* construct = construct_of(barrier_kinds, kind);
    if (!construct)
        return;
    if (endpoint & ompt::scope_begin)
        leave_unended_worksharing(here.state(), here.stack());
    const Team* part = part_of(here.state());
    if (endpoint == ompt::scope_begin && !code && !part && !(region && region->pointer))
        return;  // of the library's own team
    // The end of the last barrier is reported when the thread gets another part; end_part() knows
    // when it really was.
    if (endpoint == ompt::scope_end && part && __atomic_load_n(&part->end_ticks, __ATOMIC_RELAXED))
        return;
    if (!code && part && *construct == OpenmpConstruct::implicit_barrier)
        code = reinterpret_cast<const void*>(part->code);
    here.enter_or_leave(*construct, endpoint, code);
}

// Taskgroups are the only kind of which waiting is only a part.
void wait_for_tasks(int kind, int endpoint, ompt::Data*, ompt::Data*, const void* code) {
    if (kind != ompt::sync_taskgroup)
        return;
    if (Here here(endpoint); here)
        here.enter_or_leave(OpenmpConstruct::taskgroup_wait, endpoint, code);
}

void reduce(int, int endpoint, ompt::Data*, ompt::Data*, const void* code) {
    if (Here here(endpoint); here)
        here.enter_or_leave(OpenmpConstruct::reduction, endpoint, code);
}

// Earlier versions of LLVM's library announce an omp_test_lock() like an omp_set_lock(), and report
// nothing if it does not get the lock. So waiting for a lock is booked when it is over.
bool is_lock(int kind) { return kind == ompt::mutex_lock || kind == ompt::mutex_nest_lock; }

void got_lock(std::uintptr_t stack) {
    if (lock_wanted_at)
        book_activation(openmp_key(OpenmpConstruct::lock_wait, code_address(lock_wanted_by)),
                        lock_wanted_at, stack);
    lock_wanted_at = 0;
}

void mutex_is_wanted(int kind, unsigned, unsigned, std::uint64_t, const void* code) {
    if (is_lock(kind)) {
        lock_wanted_at = tree_ticks();
        lock_wanted_by = code;
        return;
    }
    const OpenmpConstruct* wait = construct_of(waits_for_mutexes, kind);
    if (!wait)
        return;
    if (Here here; here)
        here.enter(*wait, code);
}

void mutex_is_acquired(int kind, std::uint64_t, const void* code) {
    const OpenmpConstruct* wait = construct_of(waits_for_mutexes, kind);
    if (!wait && !is_lock(kind))
        return;
    Here here;
    if (!here)
        return;
    if (!wait)
        return got_lock(here.stack());
    here.leave(*wait);
    if (const OpenmpConstruct* held = construct_of(held_mutexes, kind))
        here.enter(*held, code);
}

void mutex_is_released(int kind, std::uint64_t, const void*) {
    const OpenmpConstruct* held = construct_of(held_mutexes, kind);
    if (!held)
        return;
    if (Here here(ompt::scope_end); here)
        here.leave(*held);
}

// A thread that already has the lock takes it once more.
void nest_lock(int endpoint, std::uint64_t, const void*) {
    if (endpoint != ompt::scope_begin)
        return;
    if (Here here; here)
        got_lock(here.stack());
}

// ---- the tool

int initialize(ompt::FindFunction find, int, ompt::Data*) {
    auto set = reinterpret_cast<ompt::SetCallback>(find("ompt_set_callback"));
    if (!set)
        return 0;
    if (dl_find_object library; find_openmp_library(reinterpret_cast<const void*>(find), library)) {
        library_start = reinterpret_cast<std::uintptr_t>(library.dlfo_map_start);
        library_end = reinterpret_cast<std::uintptr_t>(library.dlfo_map_end);
    }
    const Registration registrations[] = {
        {ompt::thread_end, checked<ompt::ThreadEnd>(thread_ends)},
        {ompt::parallel_begin, checked<ompt::ParallelBegin>(parallel_begins)},
        {ompt::parallel_end, checked<ompt::ParallelEnd>(parallel_ends)},
        {ompt::implicit_task, checked<ompt::ImplicitTask>(implicit_task)},
        {ompt::task_create, checked<ompt::TaskCreate>(task_is_created)},
        {ompt::task_schedule, checked<ompt::TaskSchedule>(task_is_scheduled)},
        {ompt::work, checked<ompt::WorkShare>(work)},
        {ompt::masked, checked<ompt::Masked>(masked)},
        {ompt::sync_region, checked<ompt::Synchronise>(synchronise)},
        {ompt::sync_region_wait, checked<ompt::Synchronise>(wait_for_tasks)},
        {ompt::reduction, checked<ompt::Synchronise>(reduce)},
        {ompt::mutex_acquire, checked<ompt::MutexAcquire>(mutex_is_wanted)},
        {ompt::mutex_acquired, checked<ompt::MutexChange>(mutex_is_acquired)},
        {ompt::mutex_released, checked<ompt::MutexChange>(mutex_is_released)},
        {ompt::nest_lock, checked<ompt::NestLock>(nest_lock)}};
    // Events that a library cannot report are missing in the profile.
    for (const Registration& row : registrations)
        set(row.event, row.callback);
    register_device_callbacks(find, set);
    active = true;
    return 1;
}

void finalize(ompt::Data*) { active = false; }

}  // namespace

bool ompt_is_active() { return active; }

void announce_single_without_end() { next_single_has_no_end = active; }

void announce_task_at(const void* code) { code_of_next_task = code; }

}  // namespace vftrace

// No events are needed if profiling is off: then the library looks for other tools.
extern "C" [[gnu::visibility("default")]] vftrace::ompt::StartToolResult*
ompt_start_tool(unsigned, const char*) {
    static vftrace::ompt::StartToolResult result = {vftrace::initialize, vftrace::finalize, {0}};
    vftrace::lifecycle_calls.first_event();
    return vftrace::openmp_settings.active ? &result : nullptr;
}
