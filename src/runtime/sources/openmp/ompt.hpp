// The part of OMPT, the tool interface of OpenMP (version 5.2, chapter 19), that vftrace uses.
//
// Declared here rather than taken from omp-tools.h, which only some compilers provide. A test
// compares both. The namespace replaces the prefix of the specification's names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace::ompt {

using Callback = void (*)();
using FindFunction = Callback (*)(const char* name);

union Data {  // the tool's own, one for each task, region and thread; 0 at first
    std::uint64_t value;
    void* pointer;
};

struct TaskFrame;  // not examined

// What ompt_start_tool() returns.
struct StartToolResult {
    int (*initialize)(FindFunction find, int initial_device, Data* tool);  // 0: do not use the tool
    void (*finalize)(Data* tool);
    Data tool;
};

// The entry point "ompt_set_callback".
using SetCallback = int (*)(int event, Callback callback);
inline constexpr int set_sometimes = 3;  // this and above: some or all such events will be reported

enum Event {
    thread_end = 2,
    parallel_begin = 3,
    parallel_end = 4,
    task_create = 5,
    task_schedule = 6,
    implicit_task = 7,
    target = 8,
    target_data_op = 9,
    device_initialize = 12,
    sync_region_wait = 16,
    mutex_released = 17,
    work = 20,
    masked = 21,
    sync_region = 23,
    mutex_acquire = 26,
    mutex_acquired = 27,
    nest_lock = 28,
    reduction = 31,
    target_emi = 33,
    target_data_op_emi = 34,
    target_submit_emi = 35
};

enum Endpoint { scope_begin = 1, scope_end = 2, scope_begin_and_end = 3 };

enum ParallelFlag : unsigned { parallel_league = 0x40000000 };

enum TaskFlag : unsigned { task_explicit = 4, task_target = 8 };

enum TaskStatus {
    task_complete = 1,
    task_cancel = 3,
    task_detach = 4,
    task_early_fulfill = 5,
    task_late_fulfill = 6
};

enum Work {
    work_loop = 1,
    work_sections = 2,
    work_single_executor = 3,
    work_workshare = 5,
    work_distribute = 6,
    work_taskloop = 7,
    work_scope = 8,
    work_loop_static = 10,
    work_loop_dynamic = 11,
    work_loop_guided = 12,
    work_loop_other = 13
};

enum SyncRegion {
    sync_barrier = 1,
    sync_barrier_implicit = 2,
    sync_barrier_explicit = 3,
    sync_barrier_implementation = 4,
    sync_taskwait = 5,
    sync_taskgroup = 6,
    sync_reduction = 7,
    sync_barrier_implicit_workshare = 8,
    sync_barrier_implicit_parallel = 9,
    sync_barrier_teams = 10
};

enum Mutex {
    mutex_lock = 1,
    mutex_nest_lock = 3,
    mutex_critical = 5,
    mutex_atomic = 6,
    mutex_ordered = 7
};

enum Target {
    target_region = 1,
    target_enter_data = 2,
    target_exit_data = 3,
    target_update = 4,
    target_without_waiting = 8  // added to each of them
};

enum TargetDataOperation {
    target_data_alloc = 1,
    target_data_transfer_to_device = 2,
    target_data_transfer_from_device = 3,
    target_data_delete = 4,
    target_data_without_waiting = 16  // added to each of them
};

// Arguments that are not used are words here. `code`: where the program continues after its call
// into the OpenMP library, or nullptr.
using Word = std::uint64_t;
using ThreadEnd = void (*)(Data* thread);
using ParallelBegin = void (*)(Data* encountering_task, const TaskFrame* frame, Data* region,
                               unsigned requested_threads, int flags, const void* code);
using ParallelEnd = void (*)(Data* region, Data* encountering_task, int flags, const void* code);
using ImplicitTask = void (*)(int endpoint, Data* region, Data* task, unsigned threads,
                              unsigned index, int flags);
using TaskCreate = void (*)(Data* encountering_task, const TaskFrame* frame, Data* new_task,
                            int flags, int has_dependences, const void* code);
using TaskSchedule = void (*)(Data* prior_task, int prior_status, Data* next_task);
using WorkShare = void (*)(int kind, int endpoint, Data* region, Data* task, std::uint64_t count,
                           const void* code);
using Masked = void (*)(int endpoint, Data* region, Data* task, const void* code);
using Synchronise = void (*)(int kind, int endpoint, Data* region, Data* task, const void* code);
using MutexAcquire = void (*)(int kind, unsigned hint, unsigned implementation, std::uint64_t mutex,
                              const void* code);
using MutexChange = void (*)(int kind, std::uint64_t mutex, const void* code);
using NestLock = void (*)(int endpoint, std::uint64_t mutex, const void* code);
using TargetRegion = void (*)(int kind, int endpoint, int device, Data* task,
                              std::uint64_t target_number, const void* code);
using TargetRegionEmi = void (*)(int kind, int endpoint, int device, Data* task, Data* target_task,
                                 Data* target_data, const void* code);
using TargetDataOp = void (*)(Word target_number, Word operation_number, int operation,
                              void* source, int source_device, void* destination,
                              int destination_device, std::size_t bytes, const void* code);
using TargetDataOpEmi = void (*)(int endpoint, Data* target_task, Data* target_data,
                                 Word* operation_number, int operation, void* source,
                                 int source_device, void* destination, int destination_device,
                                 std::size_t bytes, const void* code);
using TargetSubmitEmi = void (*)(int endpoint, Data* target_data, Word* operation_number,
                                 unsigned requested_teams);
using DeviceInitialize = void (*)(int device, const char* type, void* handle, FindFunction find,
                                  const char* documentation);

}  // namespace vftrace::ompt
