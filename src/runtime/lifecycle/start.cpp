// Start of the library: configuration, file names, clocks.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/directories.hpp"
#include "base/guarded.hpp"
#include "base/kernel_files.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "config/run_folder.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/floating_point.hpp"
#include "guest/held_cancellation.hpp"
#include "guest/modules.hpp"
#include "guest/process_identity.hpp"
#include "guest/reserve.hpp"
#include "guest/seccomp.hpp"
#include "guest/spare_descriptors.hpp"
#include "lifecycle/alternate_stack.hpp"
#include "lifecycle/cost_of_measuring.hpp"
#include "lifecycle/current_stack.hpp"
#include "lifecycle/dumped_program.hpp"
#include "lifecycle/earlier_run.hpp"
#include "lifecycle/ends.hpp"
#include "lifecycle/exec_environment.hpp"
#include "lifecycle/open_calls.hpp"
#include "lifecycle/output_names.hpp"
#include "lifecycle/recover_from_outside.hpp"
#include "lifecycle/remote_control.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/shared_run_folder.hpp"
#include "lifecycle/signals.hpp"
#include "lifecycle/start_sampling.hpp"
#include "lifecycle/tracing.hpp"
#include "lifecycle/watchdog.hpp"
#include "mpi/mpi_state.hpp"
#include "overhead/unwanted.hpp"
#include "parameters/parameter_values.hpp"
#include "ranks/trace_clocks.hpp"
#include "symbol/kernel_code.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/region_names.hpp"
#include "tree/registry.hpp"
#include "tree/source.hpp"
#include "tree/tree_memory.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

RunPhase run_phase = RunPhase::not_started;
Run* run;
bool start_failed;
const LifecycleCalls lifecycle_calls = {
    .first_event = ensure_record,
    .first_thread = write_held_messages,
    .thread_begins =
        [] {
            if (run->configuration.options.tree_file_handle_signals || sampled_threads)
                give_alternate_stack();
        },
    .thread_ends = take_alternate_stack,
    .mpi_ends = [] { finish_run(EndOfRun::mpi_finalize); },
    .mpi_aborts = [] { finish_run(EndOfRun::mpi_abort); },
    .mpi_has_begun =
        [] {
            measure_trace_clocks_at_begin();
            share_run_folder();
        },
    .open_calls = open_calls_on_stack,
    .process_resumes = put_all_hooks_back,
    .names_of_path = names_of_path};

namespace {

// Counts the time of our own start that lies within the run. The outermost object counts.
class OwnStart {
  public:
    OwnStart() : is_outermost_(!running), begin_(tree_ticks()) { running = true; }
    ~OwnStart() {
        if (!is_outermost_)
            return;
        running = false;
        spent += tree_ticks() - begin_;
        if (process_record)
            set_shared(process_record->library_start_ticks, spent);
    }
    OwnStart(const OwnStart&) = delete;
    OwnStart& operator=(const OwnStart&) = delete;
    static void begin_run() { spent = 0; }

  private:
    static inline std::uint64_t spent;
    static inline bool running;
    bool is_outermost_;
    std::uint64_t begin_;
};

void start_recording_now() {
    OwnStart::begin_run();
    run->start_unix_ns = unix_time_ns();
    run->start = read_both_clocks();
    run->processor_ns = processor_ns();
    if (!tree_settings.processor_ticks)
        run->start.ticks = run->start.ns;
    run_phase = RunPhase::recording;
    start_recording();
}

// Costs about 100 us, most of it for the file; not called in programs without events. Allocates
// nothing: the first event may occur in a signal handler.
void make_record() {
    const Options& options = run->configuration.options;
    bool child = is_new_child();
    if (child) {
        forget_parents_threads();
        forget_region_names();
        call_sources(&Source::forget_parent);
        start_recording_now();
    }
    const char* directory =
        options.tree_file_directory ? options.tree_file_directory->c_str() : nullptr;
    if (!start_tree_memory({options.tree_file_active, directory})) {
        run_phase = RunPhase::off;
        stop_recording();
        message("not enough memory to record anything");
        write_held_messages();
        return;
    }
    ProcessRecord& record = *process_record;
    start_module_map(&record.modules, map_tree_memory);
    record.library_start_unix_ns = run->library_start_unix_ns;
    record.start_unix_ns = run->start_unix_ns;
    record.start = record.latest = run->start;
    record.processor_ticks = tree_settings.processor_ticks;
    record.processor_ns_before = run->processor_ns;
    record.kernel_code = kernel_code_id();
    record.forked = child;
    record.host = keep_text(run->host.c_str());
    record.job = keep_text(run->job.c_str());
    record.application = keep_text(run->application.c_str());
    record.command_line = keep_text(run->command_line.c_str());
    record.output_base = keep_text(run->output_base.c_str());
    record.task_suffix = keep_text(run->task_suffix.c_str());
    record.config_source = keep_text(run->configuration.source.c_str());
    record.config_text = keep_text(run->config_text.c_str());
    note_mpi_in_record();
    note_earlier_run(record);
    note_parameters(record);
    start_samples_beside_hooks(options);
    note_sampling(record);
    if (counter_calls)
        keep_spare_descriptors();
    start_tracing_process(record);
    start_overhead(record, options);
    start_signals(options);
    start_copies(options);
    call_sources(&Source::process_begins);
}

std::string host_name() {
    char host[HOST_NAME_MAX + 1] = {};
    gethostname(host, sizeof host - 1);
    return host;
}

// A library that was opened by dlmopen() loads a second copy of this one in a separate namespace,
// which must not handle the program's run.
bool is_second_copy() {
    dl_find_object found;
    Lmid_t name_space;
    return _dl_find_object(reinterpret_cast<void*>(&run), &found) == 0 &&
           dlinfo(found.dlfo_link_map, RTLD_DI_LMID, &name_space) == 0 && name_space != LM_ID_BASE;
}

// A setuid or setgid program, or one with capabilities. The user who started it must not be able to
// make it read or write files through our environment variables, nor to learn what it does: `run`
// stays nullptr, so everything else stays switched off.
bool has_more_rights_than_caller() { return getauxval(AT_SECURE); }

void prepare() {
    if (is_second_copy())
        return;
    note_seccomp_at_start();
    run = new Run;
    run->host = host_name();
    run->process = getpid();
    run->library_start_unix_ns = unix_time_ns();
    run->configuration = load_configuration();
    const Options& options = run->configuration.options;
    if (options.off)
        return take_out_all_hooks(Removal::for_good);
    std::string arguments = own_arguments(4096);
    run->application = base_name(arguments.c_str());  // up to the first NUL: argv[0]
    for (char& c : arguments)
        if (c == '\0')
            c = ' ';
    run->command_line = trim(arguments);
    if (run->application.empty())
        run->application = "unknown";
    const bool has_run_folder = is_run_folder(options.output_directory);
    const RunName name = has_run_folder ? run_name(run->application) : RunName{};
    const std::string directory = output_directory(options, name.text);
    run->output_base = output_base(directory, options, run->application);
    if (has_run_folder) {
        run->run_folder = directory;
        run->run_folder_agreed = name.agreed;
    }
    const std::string needed = run->run_folder.empty() ? run->output_base : run->run_folder;
    run->directory_is_missing = access(directory_of(needed).c_str(), F_OK) != 0;
    tree_settings.max_recursion = static_cast<std::uint32_t>(options.max_recursion);
    tree_settings.processor_ticks = processor_ticks_are_time();
    run->config_text = print_configuration(options);
    run->job = job_name();
    run->task_suffix = task_suffix();
    prepare_earlier_run(options);
    prepare_parameters(options);
    prepare_tracing(options);
    prepare_overhead(options);
    prepare_samples(options);
    call_sources(&Source::prepare, options);
    prepare_ends(options);
    run_phase = RunPhase::before_main;
    const bool begins_early = options.include_cxx_prelude && options.start != "off";
    if (begins_early || !main_is_wrapped())
        start_recording_now();
}

// Memory was exhausted in an unexpected place: what has been recorded stays in the tree file.
void switch_off() {
    if (run_phase != RunPhase::recording)
        return;
    run_phase = RunPhase::over;
    stop_recording();
    message("out of memory: nothing more is recorded%s%s",
            tree_file_path() ? "; make the profile so far readable with: vftrace recover " : "",
            tree_file_path() ? tree_file_path() : "");
}

}  // namespace

void start_library() {
    if (run_phase != RunPhase::not_started)
        return;
    int saved_errno = errno;
    run_phase = RunPhase::off;  // until the start has succeeded; events during it are ignored
    wait_with_recording();
    if (has_more_rights_than_caller() || is_dump_before_its_start()) {
        silence_messages();
        return;
    }
    prepare_process_identity();
    remember_stderr();
    hold_messages();
    prepare_exec_environment();
    when_reserve_is_used = switch_off;
    HeldFloatingPointTraps held;
    if (!run_guarded([] { prepare(); })) {
        run_phase = RunPhase::off;
        start_failed = true;
        write_held_messages();  // nothing will ever be recorded
    }
    errno = saved_errno;
}

void ensure_record() {
    HeldCancellation held;
    start_library();
    if (run_phase != RunPhase::recording)
        return;
    static BoundedLock lock;
    if (seccomp_filter_was_noted()) {
        if (!process_record || is_new_child()) {
            run_phase = RunPhase::off;  // too late for a tree file
            stop_recording();
        }
        return;
    }
    // The process that has a record: in a child of fork, where several threads may get here at
    // once, this is another process until the child's own record is complete.
    static long owner;
    long self = syscall(SYS_getpid);
    if (__atomic_load_n(&owner, __ATOMIC_ACQUIRE) == self)
        return;
    // Events in signal handlers would find an incomplete record now, and wait for the lock.
    ThreadState* before = thread_state;
    thread_state = &busy_thread_state;
    if (!lock.lock()) {
        thread_state = before;
        return;
    }
    if (owner == 0 || (owner != self && is_new_child())) {  // not in a child of vfork
        if (before != &busy_thread_state)
            before = &no_thread_state;  // the state of a child's parent is gone
        const OwnStart counted;
        make_record();
        __atomic_store_n(&owner, self, __ATOMIC_RELEASE);
    }
    lock.unlock();
    thread_state = before;
}

std::string own_output_base() {
    std::string base = run->output_base;
    if (process_record && process_record->forked)
        base += format("_%ld", static_cast<long>(process_record->pid));
    return base;
}

// Not earlier, because it must be possible to register the first thread in the record.
static void observe_program() {
    static bool begun;
    if (run_phase == RunPhase::recording && !begun) {
        begun = true;
        const OwnStart counted;
        start_samples(run->configuration.options, run->application.c_str());
        call_sources(&Source::begin);
        start_switched_off(run->configuration.options, run->application.c_str());
        run_guarded([] { start_watchdog(run->configuration.options, run->application.c_str()); });
    }
}

void main_begins() {
    const OwnStart counted;
    if (run_phase == RunPhase::before_main)
        start_recording_now();
    observe_program();
}

// Runs early among the constructors of a program that is linked statically with the library.
[[gnu::constructor(101)]] static void library_constructor() {
    start_library();
    if (!main_is_wrapped())
        observe_program();
}

}  // namespace vftrace
