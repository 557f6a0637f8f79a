#include "recover/traced_process.hpp"

#include <algorithm>
#include <iterator>

#include "record/openmp_constructs.hpp"
#include "record/trace_words.hpp"
#include "recover/recovered_process.hpp"

namespace vftrace {
namespace {

constexpr std::uint32_t most_threads = 1 << 20;
constexpr std::uint32_t most_nodes = 1 << word_node_bits;
constexpr std::uint64_t most_ranks = 0x7fffffff;

// Limits times of damaged files, because they are added up and multiplied.
constexpr std::uint64_t most_ticks = std::uint64_t{1} << 62;

}  // namespace

TracedProcess::TracedProcess(TraceFileReader& file)
    : file_(file),
      // A small file may contain large numbers: tables have only a few more entries than the file
      // has words.
      room_for_numbers_(most_nodes + file.file_bytes()) {
    for (const char** text : {&record_.host, &record_.job, &record_.application,
                              &record_.command_line, &record_.output_base, &record_.task_suffix,
                              &record_.trace_file, &record_.config_source, &record_.config_text})
        *text = "";
    record_.ranks = 1;
    std::vector<std::uint64_t> buffer;
    for (std::size_t i = 0; i < file.chunks().size(); i++) {
        const ChunkKind kind = file.chunks()[i].kind;
        std::span<const std::uint64_t> words;
        if ((kind != ChunkKind::process && kind != ChunkKind::modules &&
             kind != ChunkKind::paths) ||
            !file.load(i, buffer, words))
            continue;
        bool sound = true;
        if (kind == ChunkKind::process) {
            TraceTexts texts;
            sound = vftrace::read_process(words, process_, texts);
            if (sound)
                read_process(process_, texts);
        } else if (kind == ChunkKind::modules) {
            sound = visit_descriptions<TraceModule>(
                words, [this](const TraceModule& module, std::string_view path) {
                    add_module(module, path);
                });
        } else {
            const bool whole = visit_descriptions<TracePath>(
                words, [&](const TracePath& path, std::string_view text) {
                    sound = add_path(path, text) && sound;
                });
            sound = sound && whole;
        }
        if (!sound)
            file.note_damage(i);
    }
    connect();
    read_latest_events();
}

void TracedProcess::read_process(const TraceProcess& process, const TraceTexts& texts) {
    is_known_ = true;
    record_.pid = process.pid;
    record_.start_unix_ns = record_.library_start_unix_ns = process.start_unix_ns;
    make_plausible(record_);
    record_.start = {process.start_ticks, process.start_ns};
    record_.latest = {file_.latest_ticks(), file_.latest_ns()};
    record_.processor_ticks = process.processor_ticks != 0;
    record_.uses_mpi = process.uses_mpi != 0;
    // The base already contains the number of a forked process.
    record_.ranks =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(process.ranks, 1, most_ranks));
    record_.rank = process.rank < record_.ranks ? process.rank : 0;
    record_.application = keep_text(text_of(texts, TraceText::application));
    record_.command_line = keep_text(text_of(texts, TraceText::command_line));
    record_.host = keep_text(text_of(texts, TraceText::host));
    record_.output_base = keep_text(text_of(texts, TraceText::output_base));
    record_.job = keep_text(text_of(texts, TraceText::job));
    record_.config_source = keep_text(text_of(texts, TraceText::config_source));
    record_.config_text = keep_text(text_of(texts, TraceText::configuration));
}

void TracedProcess::add_module(const TraceModule& module, std::string_view path) {
    if (module.index >= no_module)
        return;
    while (modules_.size() <= module.index) {
        LoadedModule missing{};
        missing.path = "";
        modules_.push_back(missing);
        module_is_known_.push_back(false);
    }
    modules_[module.index].path = keep_text(path);
    modules_[module.index].id = module.id;
    module_is_known_[module.index] = true;
}

bool TracedProcess::add_root(const TracePath& path, std::string_view text) {
    Thread& thread = threads_[path.thread];
    ThreadRecord& record = thread.record;
    if (!record.root) {
        Node& root = thread.nodes.emplace_back();
        root.kind = NodeKind::root;
        root.module = no_module;
        root.body_offset = static_cast<std::int32_t>(path.thread);
        record.root = &root;
        record.number = path.thread;
        record.threads = 1;
        record.in_use = 1;
        record.node_count = 1;
        thread.number_of = {0};
        if (path.target_thread != no_target)
            targets_.push_back({path.thread, 0, path.target_thread, path.target_number});
    }
    record.tid = path.body_offset;
    record.is_worker = path.flags & 1;
    text = text.substr(0, text.find('\0'));
    std::fill(std::begin(record.name), std::end(record.name), '\0');
    text.copy(record.name, sizeof record.name - 1);
    return path.number == 0;
}

bool TracedProcess::add_path(const TracePath& path, std::string_view text) {
    const auto kind = static_cast<NodeKind>(path.kind);
    // Each known thread takes up some bytes of the file.
    if (path.thread >= most_threads ||
        path.thread > 1000 + file_.file_bytes() / sizeof(TracePath) || path.number >= most_nodes ||
        !is_node_kind(path.kind))
        return false;
    while (threads_.size() <= path.thread)
        threads_.emplace_back();
    if (kind == NodeKind::root)
        return add_root(path, text);
    Thread* const thread = thread_of(path.thread);
    Node* const parent = node_of(path.thread, path.parent);
    if (!thread || !parent || path.parent >= path.number || node_of(path.thread, path.number))
        return false;
    std::vector<std::uint32_t>& number_of = thread->number_of;
    if (number_of.size() <= path.number) {
        if (path.number - number_of.size() >= room_for_numbers_)
            return false;
        room_for_numbers_ -= path.number + 1 - number_of.size();
        number_of.resize(path.number + 1, unknown);
    }
    Node node{};
    node.kind = kind;
    node.parent = parent;
    node.flags = path.flags & node_precise;
    node.number = thread->record.node_count;
    node.module = path.module;
    switch (row_of(kind).key) {
    case KeyKind::code:
        node.key = path.offset;
        node.body_offset = path.body_offset;
        break;
    case KeyKind::text:
        node.key = reinterpret_cast<std::uintptr_t>(keep_text(text));
        break;
    case KeyKind::section:
        node.key = reinterpret_cast<std::uintptr_t>(keep_section_name(text, path.key));
        break;
    case KeyKind::mpi_call:
    case KeyKind::io_call:
        node.key = path.key;
        break;
    case KeyKind::construct:
        if (path.key >= std::size(openmp_constructs))
            return false;
        node.key = openmp_key(static_cast<OpenmpConstruct>(path.key), path.offset);
        break;
    case KeyKind::gpu_name:
        gpu_names_.push_back({static_cast<GpuApi>(path.key >> 32),
                              static_cast<std::uint32_t>(path.key), keep_text(text), nullptr,
                              nullptr});
        node.key = reinterpret_cast<std::uintptr_t>(&gpu_names_.back());
        break;
    case KeyKind::fixed:
        node.key = kind == NodeKind::thread ? thread_key : 0;
        break;
    case KeyKind::node:
    case KeyKind::folded:
        targets_.push_back({path.thread, node.number, path.target_thread, path.target_number});
        break;
    }
    number_of[path.number] = thread->record.node_count++;
    Node& last = thread->nodes.back();
    last.next_created = &thread->nodes.emplace_back(node);
    return true;
}

Node* TracedProcess::node_of(std::uint32_t number, std::uint32_t node) {
    Thread* const thread = thread_of(number);
    const bool known =
        thread && node < thread->number_of.size() && thread->number_of[node] != unknown;
    return known ? &thread->nodes[thread->number_of[node]] : nullptr;
}

// Sets the pointers between trees, now that all of them have been read.
void TracedProcess::connect() {
    record_.modules.modules = modules_.data();
    record_.modules.count = static_cast<std::uint16_t>(modules_.size());
    ThreadRecord** link = &record_.threads;
    for (auto thread = threads_.rbegin(); thread != threads_.rend(); ++thread) {
        if (!thread->record.root)
            continue;
        for (Node& node : thread->nodes)
            if (node.module >= modules_.size() || !module_is_known_[node.module])
                node.module = no_module;
        *link = &thread->record;
        link = &thread->record.next;
        record_.thread_count++;
    }
    for (const Target& target : targets_) {
        Thread& thread = threads_[target.thread];
        Node& node = thread.nodes[target.node];
        Node* to = node_of(target.of_thread, target.of_node);
        if (to && to->kind == NodeKind::alias)
            to = nullptr;
        if (node.kind == NodeKind::root)
            thread.record.start = to && to->kind == NodeKind::thread ? to : nullptr;
        else if (node.kind == NodeKind::graft)
            node.key = reinterpret_cast<std::uintptr_t>(to);
        else
            node.last_callee = to && target.of_thread == target.thread ? to : node.parent;
    }
}

// The first and last event of each thread.
void TracedProcess::read_latest_events() {
    struct LatestEvent {
        std::uint64_t first = ~std::uint64_t{0}, last = 0;
        void event(WordKind, std::uint32_t, std::uint64_t ticks) {
            first = std::min(first, ticks);
            last = std::max(last, ticks);
        }
        void record(RecordKind, std::uint32_t, std::span<const std::uint64_t>) {}
    };
    latest_ticks_ = std::max(file_.latest_ticks(), process_.start_ticks);
    std::vector<std::uint64_t> buffer;
    for (std::size_t i = 0; i < file_.chunks().size(); i++) {
        const TraceChunk& chunk = file_.chunks()[i];
        Thread* const thread = thread_of(chunk.thread);
        std::span<const std::uint64_t> words;
        if (chunk.kind != ChunkKind::events || !thread || !file_.load(i, buffer, words))
            continue;
        LatestEvent latest;
        if (!visit_words(words, latest))
            file_.note_damage(i);
        if (latest.first > latest.last)
            continue;  // no events
        if (thread->last_event == 0)
            thread->record.started = chunk.base_ticks + latest.first;
        thread->last_event = std::max(thread->last_event, chunk.base_ticks + latest.last);
        latest_ticks_ = std::max(latest_ticks_, thread->last_event);
    }
}

// Plays the events of one thread, in the order in which they are in the trace.
class TracedProcess::EventCounter {
  public:
    EventCounter(Thread& thread, std::uint64_t base, std::uint64_t end)
        : thread_(thread), base_(base), end_(end) {
        thread.open_count.resize(thread.nodes.size());
        thread.ticks.resize(thread.nodes.size());
    }

    void event(WordKind kind, std::uint32_t number, std::uint64_t ticks) {
        ticks += base_;
        if (number >= thread_.number_of.size() || thread_.number_of[number] == unknown ||
            ticks > end_)
            return;
        Node& node = thread_.nodes[thread_.number_of[number]];
        if (kind == WordKind::enter)
            enter(node, ticks);
        else
            exit(node, ticks);
        thread_.after_left_out = false;
    }

    void record(RecordKind kind, std::uint32_t, std::span<const std::uint64_t> words) {
        if (kind == RecordKind::left_out)
            thread_.after_left_out = true;
        GapRecord gap;
        if (kind == RecordKind::waited && read_record(words, gap) && gap.start <= gap.end &&
            gap.end <= end_)
            thread_.not_running += gap.end - gap.start;
    }

    // Ends all open calls now.
    void close_all(std::uint64_t ticks) {
        while (!thread_.open.empty())
            close(ticks);
    }

  private:
    void enter(Node& node, std::uint64_t ticks) {
        // There may be entries without an exit: open calls that are not callers of this one have
        // ended. But folded recursion returns to a path further up, which it is below.
        while (!thread_.open.empty() && !is_caller(*thread_.open.back().node, node) &&
               !(!thread_.after_left_out && thread_.open_count[node.number] > 0))
            close(ticks);
        node.calls++;
        thread_.open_count[node.number]++;
        thread_.open.push_back(
            {&node, running(ticks), thread_.open.empty() ? nullptr : thread_.open.back().node});
    }

    // An exit without an entry is ignored.
    void exit(Node& node, std::uint64_t ticks) {
        if (thread_.open_count[node.number] == 0)
            return;
        while (thread_.open.back().node != &node)
            close(ticks);
        close(ticks);
    }

    void close(std::uint64_t ticks) {
        const Open open = thread_.open.back();
        thread_.open.pop_back();
        const std::uint64_t now = running(ticks);
        const std::uint64_t time = now > open.start ? now - open.start : 0;
        thread_.open_count[open.node->number]--;
        // The time of a call that was folded into a path further up counts for that path, and not
        // for those between them; see tree/folding.hpp. Direct recursion has no such paths.
        const std::uint32_t number = open.node->number;
        if (!open.caller || open.caller->number < number)
            thread_.ticks[number] += time;
        else
            for (const Node* around = open.caller; around->number > number; around = around->parent)
                thread_.ticks[around->number] -= time;
        if (open.node->kind == NodeKind::pause)
            thread_.not_running += time;
    }

    // Ticks without those in which the thread was suspended.
    std::uint64_t running(std::uint64_t ticks) const {
        return ticks > thread_.not_running ? ticks - thread_.not_running : 0;
    }

    // Also true if both are the same node, which is direct recursion.
    static bool is_caller(const Node& caller, const Node& callee) {
        const Node* node = &callee;
        while (node->number > caller.number)
            node = node->parent;
        return node == &caller;
    }

    Thread& thread_;
    const std::uint64_t base_, end_;
};

void TracedProcess::count_events(std::uint64_t end_ticks) {
    std::vector<std::uint64_t> buffer;
    for (std::size_t i = 0; i < file_.chunks().size(); i++) {
        const TraceChunk& chunk = file_.chunks()[i];
        Thread* const thread = thread_of(chunk.thread);
        std::span<const std::uint64_t> words;
        if (chunk.kind != ChunkKind::events || !thread || !file_.load(i, buffer, words))
            continue;
        EventCounter counter(*thread, chunk.base_ticks, end_ticks);
        visit_words(words, counter);
    }
    for (Thread& thread : threads_) {
        EventCounter(thread, 0, end_ticks).close_all(end_ticks);
        for (Node& node : thread.nodes) {
            const std::uint64_t ticks = thread.ticks[node.number];
            node.inclusive_ticks = ticks >> 63 ? 0 : std::min(ticks, most_ticks);
        }
    }
    for (const Thread& thread : threads_)
        for (const Node& node : thread.nodes)
            if (node.kind == NodeKind::pause)
                record_.paused_ticks =
                    std::min(std::max(record_.paused_ticks, node.inclusive_ticks), end_ticks);
}

PathsOfNodes TracedProcess::in_trace(const PathsOfNodes& nodes) const {
    PathsOfNodes in_trace;
    for (std::uint32_t i = 0; i < threads_.size(); i++) {
        std::vector<std::uint32_t>& paths = in_trace.path_of.emplace_back();
        for (std::uint32_t number : threads_[i].number_of)
            paths.push_back(number == unknown ? no_index : nodes(i, number));
    }
    return in_trace;
}

}  // namespace vftrace
