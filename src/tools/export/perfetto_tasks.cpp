// Asynchronous tasks in a trace of Perfetto: lanes in a group of tracks under their process, and
// arrows from where they were created to their first run.
#include "export/perfetto_packets.hpp"
#include "export/task_lanes.hpp"

namespace vftrace {
namespace {

using protozero::pbf_writer;

enum Annotation : std::uint64_t { note_task = 1, note_thread, note_left };
constexpr std::uint64_t task_category = 1, created_name = 1, first_type_name = 2;

class PerfettoTasks {
  public:
    PerfettoTasks(const TimelineRank& rank, std::uint32_t sequence, ExportOutput& output)
        : rank_(rank), sequence_(rank, sequence, output), lanes_(rank),
          is_named_(rank.file->stacks().size()) {}

    void write() {
        sequence_.begin([](pbf_writer& data) {
            add_interned(data, interned::annotations, note_task, "task");
            add_interned(data, interned::annotations, note_thread, "thread");
            add_interned(data, interned::annotations, note_left, "left");
            add_interned(data, interned::categories, task_category, "task");
            add_interned(data, interned::names, created_name, "creates a task");
        });
        sequence_.describe_track(group_, process_uuid(rank_.rank), "tasks");
        lanes_.visit([&](const TaskRun& run) { write_run(run); });
    }

  private:
    // The number of a task's name, which is written when it first occurs.
    std::uint64_t name_of(std::uint32_t stack) {
        const std::uint64_t number = first_type_name + stack;
        if (!is_named_[stack])
            sequence_.announce([&](pbf_writer& data) {
                add_interned(data, interned::names, number, rank_.name_of(stack));
            });
        is_named_[stack] = true;
        return number;
    }

    void write_run(const TaskRun& run) {
        const std::uint64_t track = track_uuid(rank_.rank, run.lane, task_track);
        for (; described_ <= run.lane; described_++)
            sequence_.describe_track(track_uuid(rank_.rank, described_, task_track), group_,
                                     lanes_.name(described_));
        const std::uint64_t name = name_of(run.stack);
        if (run.is_first)
            write_event(run.created_ns, event::instant, created_name,
                        track_uuid(rank_.rank, run.creator, thread_track),
                        [&](pbf_writer& track_event) {
                            track_event.add_fixed64(event::flow, creation_flow(rank_, run));
                            add_number(track_event, note_task, run.task);
                        });
        write_event(run.start_ns, run.has_run ? event::begin : event::instant, name, track,
                    [&](pbf_writer& track_event) {
                        if (run.is_first)
                            track_event.add_fixed64(event::last_flow, creation_flow(rank_, run));
                        add_number(track_event, note_task, run.task);
                        add_text(track_event, note_thread, rank_.thread_label(run.thread));
                        add_text(track_event, note_left, run.left);
                    });
        if (run.has_run)
            sequence_.end_slice(track, run.end_ns);
    }

    template <class Fill>
    void write_event(std::int64_t ns, event::Type type, std::uint64_t name, std::uint64_t track,
                     Fill fill) {
        sequence_.write_event(ns, [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, type);
            track_event.add_uint64(event::category, task_category);
            track_event.add_uint64(event::name, name);
            track_event.add_uint64(event::track, track);
            fill(track_event);
        });
    }

    const TimelineRank& rank_;
    PerfettoSequence sequence_;
    TaskLanes lanes_;
    const std::uint64_t group_ = track_uuid(rank_.rank, 0, task_group);
    std::uint32_t described_ = 0;  // number of lanes
    std::vector<bool> is_named_;   // by stack
};

}  // namespace

void write_perfetto_tasks(const TimelineRank& rank, std::uint32_t sequence, ExportOutput& output) {
    if (has_tasks(*rank.file))
        PerfettoTasks(rank, sequence, output).write();
}

}  // namespace vftrace
