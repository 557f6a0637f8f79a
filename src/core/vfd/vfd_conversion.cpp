// Converts the chunks that a process wrote while it ran to a vfd file.
//
// The order of the work: descriptions of process, paths and threads; the samples of thread 0 with
// all messages between them; tables; the extension with the samples of the other threads.
#include "vfd/vfd_conversion.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "record/node.hpp"
#include "vfd/call_samples.hpp"
#include "vfd/device_sections.hpp"
#include "vfd/function_samples.hpp"
#include "vfd/left_out_events.hpp"
#include "vfd/message_merge.hpp"
#include "vfd/message_sample.hpp"
#include "vfd/operation_section.hpp"
#include "vfd/task_moments.hpp"
#include "vfd/trace_descriptions.hpp"
#include "vfd/vfd_writer.hpp"

namespace vftrace {
namespace {

// A maliciously large number of counters would lead to samples of gigabytes.
constexpr std::uint32_t most_counters = 1000;

class Conversion : private SampleSink {
  public:
    explicit Conversion(const VfdConversion& wanted)
        : wanted_(wanted), profile_(*wanted.profile), nodes_(*wanted.nodes),
          out_(wanted.vfd_file, wanted.folder), writer_(out_, profile_.run) {}

    VfdFigures run();

  private:
    bool read_descriptions();
    void read_path(const TracePath& path, std::string_view text);
    void find_chunks_of_threads();
    void write_samples(MessageMerge& messages);
    std::span<const std::uint32_t> paths_of(std::uint32_t thread) const;  // by Node::number
    void write_samples_of(std::uint32_t thread);
    template <class Visitor>
    void write_section_of(std::uint32_t thread, VfdSection section, Visitor visitor);
    void write_other_sections_of(std::uint32_t thread);
    void write_tables();
    void write_extension(MessageMerge& messages);
    void write_operations(MessageMerge& messages);
    bool find_stacks(const TracedMessage& message, VfdOperation& operation) const;
    void take(const char* samples, std::size_t count, std::size_t width) override;
    void write_messages_before(std::int64_t ns);
    VfdClock clock() const;

    const VfdConversion& wanted_;
    const Profile& profile_;
    const PathsOfNodes& nodes_;
    TraceFileReader file_;
    VfdOutput out_;
    VfdWriter writer_;
    VfdFigures figures_;

    TraceProcess process_{};
    TraceClocks clocks_{};
    TraceTimes times_;
    std::uint64_t end_ticks_ = 0;
    std::vector<bool> precise_;  // by path
    std::vector<VfdThreadRow> threads_;
    std::vector<std::string> thread_names_;
    // Event chunks in the order of threads, and the index at which each thread's begin, with one
    // more element.
    std::vector<std::size_t> event_chunks_, first_chunk_;
    std::vector<std::uint64_t> buffer_;
    TraceGaps gaps_;
    FunctionSamples* samples_ = nullptr;
    MessageMerge* messages_ = nullptr;  // while the samples of thread 0 are written
};

// Returns false if the trace does not identify its process.
bool Conversion::read_descriptions() {
    threads_.resize(std::max<std::size_t>(nodes_.path_of.size(), 1));
    thread_names_.resize(threads_.size());
    for (std::size_t i = 1; i < threads_.size(); i++)
        threads_[i].parent = 0;
    precise_.resize(profile_.paths.size());
    for (std::size_t i = 0; i < precise_.size(); i++)
        precise_[i] =
            row_of(profile_.functions[profile_.paths[i].function].kind).is(kind_is_precise);
    bool has_process = false;
    for (std::size_t i = 0; i < file_.chunks().size(); i++) {
        const ChunkKind kind = file_.chunks()[i].kind;
        std::span<const std::uint64_t> words;
        if (kind != ChunkKind::process && kind != ChunkKind::paths && kind != ChunkKind::clocks)
            continue;
        if (!file_.load(i, buffer_, words))
            continue;
        TraceTexts texts;
        bool sound = true;
        if (kind == ChunkKind::process)
            has_process |= sound = read_process(words, process_, texts);
        else if (kind == ChunkKind::clocks)
            sound = read_record(words, clocks_);
        else
            sound = visit_descriptions<TracePath>(
                words,
                [this](const TracePath& path, std::string_view text) { read_path(path, text); });
        if (!sound)
            file_.note_damage(i);
    }
    // Names that threads were given later.
    for (const ThreadFigures& thread : profile_.threads)
        if (thread.number < threads_.size() && !thread.name.empty())
            thread_names_[thread.number] = thread.name;
    for (std::size_t i = 0; i < threads_.size(); i++)
        threads_[i].name = thread_names_[i];
    return has_process;
}

void Conversion::read_path(const TracePath& path, std::string_view text) {
    if (path.kind == static_cast<std::uint8_t>(NodeKind::root)) {
        if (path.thread >= threads_.size())
            return;
        VfdThreadRow& row = threads_[path.thread];
        row.number = path.body_offset;
        row.openmp_worker = path.flags & 1;
        if (path.target_thread < path.thread)
            row.parent = static_cast<std::int32_t>(path.target_thread);
        thread_names_[path.thread] = text;
    } else if (path.kind == static_cast<std::uint8_t>(NodeKind::function) &&
               (path.flags & node_precise)) {
        const std::uint32_t stack = nodes_(path.thread, path.number);
        if (stack < precise_.size())
            precise_[stack] = true;
    }
}

void Conversion::find_chunks_of_threads() {
    const std::vector<TraceChunk>& chunks = file_.chunks();
    first_chunk_.assign(threads_.size() + 1, 0);
    for (std::size_t i = 0; i < chunks.size(); i++)
        if (chunks[i].kind == ChunkKind::events) {
            if (chunks[i].thread < threads_.size())
                event_chunks_.push_back(i);
            else
                file_.note_damage(i);
        }
    std::sort(event_chunks_.begin(), event_chunks_.end(), [&](std::size_t a, std::size_t b) {
        return chunks[a].thread != chunks[b].thread ? chunks[a].thread < chunks[b].thread : a < b;
    });
    for (std::size_t chunk : event_chunks_)
        first_chunk_[chunks[chunk].thread + 1]++;
    for (std::size_t i = 1; i < first_chunk_.size(); i++)
        first_chunk_[i] += first_chunk_[i - 1];
}

std::span<const std::uint32_t> Conversion::paths_of(std::uint32_t thread) const {
    if (thread >= nodes_.path_of.size())
        return {};
    return nodes_.path_of[thread];
}

void Conversion::write_samples_of(std::uint32_t thread) {
    samples_->start_thread(thread, paths_of(thread));
    for (std::size_t i = first_chunk_[thread]; i < first_chunk_[thread + 1]; i++) {
        const std::size_t chunk = event_chunks_[i];
        std::span<const std::uint64_t> words;
        if (file_.load(chunk, buffer_, words) &&
            !samples_->add_chunk(file_.chunks()[chunk].base_ticks, words))
            file_.note_damage(chunk);
    }
    samples_->flush();
}

// Writes a section of the data that `visitor` finds among the thread's records.
template <class Visitor>
void Conversion::write_section_of(std::uint32_t thread, VfdSection section, Visitor visitor) {
    writer_.begin_section(section, thread);
    for (std::size_t i = first_chunk_[thread]; i < first_chunk_[thread + 1]; i++) {
        std::span<const std::uint64_t> words;
        if (file_.load(event_chunks_[i], buffer_, words))
            visit_words(words, visitor);
    }
    writer_.end_section();
}

// Few traces have such sections, so the events are read a second time for them.
void Conversion::write_other_sections_of(std::uint32_t thread) {
    if (samples_->has_records(RecordKind::sampled, thread))
        write_section_of(thread, VfdSection::call_samples,
                         CallSamples(out_, times_, end_ticks_, paths_of(thread)));
    if (samples_->has_records(RecordKind::left_out, thread))
        write_section_of(thread, VfdSection::left_out,
                         LeftOutEvents(out_, times_, end_ticks_, paths_of(thread)));
    if (samples_->has_records(RecordKind::task, thread))
        write_section_of(thread, VfdSection::task_moments,
                         TaskMoments(out_, times_, end_ticks_, nodes_));
}

// Writes the samples of thread 0 and messages, ending with the exit of `init`.
void Conversion::write_samples(MessageMerge& messages) {
    messages_ = &messages;
    write_samples_of(0);
    const std::int64_t end_ns = times_.ns(end_ticks_);
    write_messages_before(end_ns + 1);
    messages_ = nullptr;
    samples_->add(VfdSampleKind::exit, 0, end_ns);
    samples_->flush();
    threads_[0].samples = samples_->samples();
}

void Conversion::write_messages_before(std::int64_t ns) {
    while (const TracedMessage* message = messages_->peek()) {
        const std::int64_t start_ns = times_.ns(message->start);
        if (start_ns >= ns)
            return;
        const std::uint32_t stack = nodes_(message->thread, message->node);
        if (stack == no_index || message->thread >= threads_.size()) {
            messages_->note_damage();
        } else {
            out_.put(message_sample(*message, stack, start_ns, times_.ns(message->end)));
            figures_.message_samples++;
        }
        messages_->advance();
    }
}

void Conversion::take(const char* samples, std::size_t count, std::size_t width) {
    const auto ns_of = [&](std::size_t index) {
        VfdFunctionSample sample;
        std::memcpy(&sample, samples + index * width, sizeof sample);
        return std::int64_t{sample.ns};
    };
    std::size_t written = 0;
    while (messages_ && messages_->peek()) {
        // Messages come after the call that started them.
        const std::int64_t next = times_.ns(messages_->peek()->start);
        std::size_t end = written;
        for (std::size_t rest = count - written; rest > 0;) {  // finds the first later sample
            const std::size_t half = rest / 2;
            const bool before = ns_of(end + half) <= next;
            end += before ? half + 1 : 0;
            rest = before ? rest - half - 1 : half;
        }
        out_.write(samples + written * width, (end - written) * width);
        written = end;
        if (written == count)
            break;
        write_messages_before(ns_of(written));
    }
    out_.write(samples + written * width, (count - written) * width);
    figures_.function_samples += count;
}

void Conversion::write_tables() {
    VfdNumbers& numbers = writer_.numbers;
    constexpr std::uint64_t most = 0xffffffff;
    numbers.interval_ns = std::max<std::int64_t>(process_.sample_interval_ns, 0);
    numbers.function_samples =
        static_cast<std::uint32_t>(std::min(figures_.function_samples, most));
    numbers.message_samples = static_cast<std::uint32_t>(std::min(figures_.message_samples, most));
    if (figures_.function_samples > most || figures_.message_samples > most)
        figures_.error = "more samples than the header of the vfd file can count";
    writer_.write_stacks(profile_, precise_);
    writer_.write_threads(threads_);
    writer_.write_counters(profile_.run);
}

VfdClock Conversion::clock() const {
    // A single reading is stored in the first place.
    const TraceClocks::Reading& end = clocks_.end;
    const TraceClocks::Reading& begin = clocks_.begin.measured ? clocks_.begin : end;
    const bool twice = clocks_.begin.measured && end.measured;
    const auto own_time = [&](const TraceClocks::Reading& reading) {
        return static_cast<std::int64_t>(reading.ns - process_.start_ns);
    };
    VfdClock clock{};
    clock.start_unix_ns = process_.start_unix_ns;
    clock.start_monotonic_ns = static_cast<std::int64_t>(process_.start_ns);
    clock.measured = !begin.measured ? 0 : twice ? 2 : 1;
    if (clock.measured >= 1) {
        clock.begin_ns = own_time(begin);
        clock.begin_offset_ns = begin.offset_ns;
        clock.begin_error_ns = begin.error_ns;
    }
    if (clock.measured == 2) {
        clock.end_ns = own_time(end);
        clock.end_offset_ns = end.offset_ns;
        clock.end_error_ns = end.error_ns;
    }
    return clock;
}

// Returns false if the stacks are not known.
bool Conversion::find_stacks(const TracedMessage& message, VfdOperation& operation) const {
    operation.stack = operation.completing_stack = nodes_(message.thread, message.node);
    operation.thread = operation.completing_thread = message.thread;
    operation.enter_ns = operation.start_ns;
    if (message.has_completion) {
        operation.completing_stack = nodes_(message.completion.thread, message.completion.node);
        operation.completing_thread = message.completion.thread;
        operation.enter_ns = std::max(times_.ns(message.completion.enter), operation.start_ns);
    }
    return operation.stack != no_index && operation.completing_stack != no_index &&
           operation.thread < threads_.size() && operation.completing_thread < threads_.size();
}

// Writes the operations of MPI calls, for which messages are read a second time.
void Conversion::write_operations(MessageMerge& messages) {
    if (messages.groups().groups().empty())
        return;
    writer_.write_communicator_section(messages.groups().groups());
    writer_.begin_section(VfdSection::operations);
    OperationSection section(out_);
    for (messages.restart_with_operations(); const TracedMessage* message = messages.peek();
         messages.advance()) {
        if (message->start > end_ticks_)
            continue;
        VfdOperation operation;
        operation.what = message->is_collective ? VfdOperation::collectives +
                                                      static_cast<std::uint32_t>(message->shape)
                         : message->received ? VfdOperation::receive
                                             : VfdOperation::send;
        operation.start_ns = times_.ns(message->start);
        operation.end_ns = times_.ns(message->end);
        operation.communicator = messages.groups().index_of(message->communicator);
        operation.peer = std::max(message->peer, -1);
        operation.tag = message->tag;
        operation.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(message->count, 0)) *
                          static_cast<std::uint64_t>(std::max(message->type_bytes, 0));
        operation.number = message->number;
        if (operation.communicator == no_index || !find_stacks(*message, operation))
            messages.note_damage();
        else
            section.put(operation);
    }
    writer_.end_section();
}

void Conversion::write_extension(MessageMerge& messages) {
    writer_.begin_extension();
    writer_.write_run_section(profile_.run);
    writer_.write_clock_section(clock());
    writer_.write_module_section(profile_.modules);
    writer_.write_function_section(profile_.functions);
    writer_.write_stack_section(profile_.paths);
    writer_.write_counter_section();
    for (std::uint32_t thread = 1; thread < threads_.size(); thread++) {
        if (first_chunk_[thread] == first_chunk_[thread + 1])
            continue;
        writer_.begin_section(VfdSection::samples, thread);
        write_samples_of(thread);
        writer_.end_section();
        threads_[thread].samples = samples_->samples();
    }
    bool every_call = file_.damaged_chunks() == 0;
    for (std::uint32_t thread = 0; thread < threads_.size(); thread++) {
        write_other_sections_of(thread);
        every_call = every_call && !samples_->has_records(RecordKind::left_out, thread);
    }
    // Nothing was left out: the interval was not reached, or the trace is a short one.
    if (every_call)
        writer_.numbers.interval_ns = 0;
    writer_.write_thread_section(threads_);
    writer_.write_gap_section(gaps_.gaps());
    write_operations(messages);
    const DeviceFigures devices = write_device_sections(writer_, out_, file_, nodes_, times_);
    figures_.dropped_work = devices.dropped;
    writer_.end_extension();
}

VfdFigures Conversion::run() {
    if (wanted_.trace_descriptor >= 0 ? !file_.open(wanted_.trace_descriptor)
                                      : !file_.open(wanted_.trace_file)) {
        figures_.error = "the trace cannot be read: " + file_.error();
        return figures_;
    }
    if (!read_descriptions()) {
        figures_.error = "the trace does not identify its process";
        return figures_;
    }
    times_ = {process_.start_ticks, wanted_.ns_per_tick};
    end_ticks_ = std::max(wanted_.end_ticks, process_.start_ticks);
    writer_.numbers.counters = std::min(process_.counters, most_counters);
    find_chunks_of_threads();
    FunctionSamples samples(*this, times_, end_ticks_, writer_.numbers.counters, gaps_);
    MessageMerge messages(file_, static_cast<std::int32_t>(process_.rank));
    samples_ = &samples;
    write_samples(messages);
    write_tables();
    write_extension(messages);
    figures_.bytes = out_.position();
    writer_.finish();
    if (!out_.publish()) {
        figures_.error = std::string("cannot be written: ") + std::strerror(out_.error());
        figures_.bytes = 0;
    }
    figures_.damaged_chunks = file_.damaged_chunks();
    figures_.dropped_events = gaps_.dropped_events();
    return figures_;
}

}  // namespace

VfdFigures convert_to_vfd(const VfdConversion& wanted) { return Conversion(wanted).run(); }

}  // namespace vftrace
