#include "recover/recovered_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "record/heap_figures.hpp"
#include "record/openmp_constructs.hpp"
#include "symbol/kernel_code.hpp"

namespace vftrace {
namespace {

constexpr std::size_t longest_text = 1 << 20;
constexpr std::size_t node_alignment = alignof(Node);

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

// Whether the node's time may represent several activations at the same time.
bool has_time_of_several(const Node& node) {
    return node.kind == NodeKind::alias || node.in_fold != 0;
}

void make_plausible(HookCosts& costs) {
    constexpr double most = 1e9;
    auto check = [](double& cost) { cost = cost >= 0 && cost <= most ? cost : 0; };
    for (auto cost : single_costs)
        check(costs.*cost);
    for (auto cost : call_costs)
        for (auto part : {&CallCost::all, &CallCost::inside, &CallCost::overlap})
            check(costs.*cost.*part);
}

}  // namespace

void make_plausible(ProcessRecord& record) {
    constexpr std::int64_t latest_date = 4'000'000'000'000'000'000;  // in 2096
    for (std::int64_t* date :
         {&record.library_start_unix_ns, &record.start_unix_ns, &record.end_unix_ns})
        *date = std::clamp<std::int64_t>(*date, 0, latest_date);
    make_plausible(record.hook_costs);
}

RecoveredProcess::RecoveredProcess(const FileImage& image)
    : image_(&image), budget_(image.size()), record_(image.record()),
      node_slots_(image.size() / node_alignment) {
    record_.address = &record_;
    for (const char** text : {&record_.host, &record_.job, &record_.application,
                              &record_.command_line, &record_.output_base, &record_.task_suffix,
                              &record_.trace_file, &record_.config_source, &record_.config_text})
        *text = keep_text(*text, "");
    if (record_.ranks == 0 || record_.rank >= record_.ranks)
        record_.rank = 0;
    record_.ranks = std::max(record_.ranks, 1u);
    make_plausible(record_);
    note_time(record_.start.ticks);
    note_time(record_.processor_ticks ? record_.latest.ticks : record_.latest.ns);
    read_modules();
    read_unwanted();
    read_annotations();
    read_files();
    read_threads();
    number_threads();
    connect_threads();
    read_gpu();
    read_side_tables(record_.side_tables, side_words_, nullptr);
    note_peaks(record_);
    read_series();
    read_earlier_sections();
    read_parameters();
    image_ = nullptr;
    node_slots_ = {};
    known_gpu_names_ = {};
    known_texts_ = {};
    known_files_ = {};
}

bool RecoveredProcess::spend(std::size_t bytes) {
    const bool enough = budget_ >= bytes;
    budget_ = enough ? budget_ - bytes : 0;
    return enough;
}

void RecoveredProcess::note_time(std::uint64_t ticks) {
    latest_ticks_ = std::max(latest_ticks_, ticks);
}

const char* RecoveredProcess::keep_text(const char* pointer, const char* otherwise) {
    auto known = known_texts_.find(pointer);
    if (known != known_texts_.end())
        return known->second;
    auto text = pointer ? image_->text(pointer, longest_text) : std::nullopt;
    if (text && !spend(text->size() + 1))
        text.reset();
    if (!text && pointer)
        left_out_++;
    const char* kept = text ? texts_.emplace_back(*text).c_str() : otherwise;
    known_texts_.emplace(pointer, kept);
    return kept;
}

// The level is in the byte before the name (section_level()).
const char* RecoveredProcess::keep_section_name(const char* pointer) {
    auto known = known_texts_.find(pointer);
    if (known != known_texts_.end())
        return known->second;
    std::uint8_t level = last_section_level;
    image_->read(reinterpret_cast<std::uint64_t>(pointer) - 1, level);
    const char* name = keep_text(pointer, "(name lost)");
    std::string text(1, static_cast<char>(level_in(level)));
    const char* kept = texts_.emplace_back(text + name).c_str() + 1;
    known_texts_[pointer] = kept;
    return kept;
}

template <class Item, class Count>
void RecoveredProcess::read_items(Item*& items, Count& count, std::vector<Item>& kept) {
    const auto first = reinterpret_cast<std::uint64_t>(items);
    for (std::uint64_t i = 0; i < count; i++) {
        Item item;
        if (!image_->read(first + i * sizeof item, item) || !spend(sizeof item)) {
            left_out_++;
            break;
        }
        kept.push_back(item);
    }
    items = kept.data();
    count = static_cast<Count>(kept.size());
}

void RecoveredProcess::read_modules() {
    read_items(record_.modules.modules, record_.modules.count, modules_);
    for (LoadedModule& module : modules_) {
        module.loaded = true;  // without meaning here, and may have any value in the file
        module.path = keep_text(module.path, "");
        // Otherwise its names would be looked up in the kernel code of this process.
        if (module.path == kernel_code_name && record_.kernel_code != kernel_code_id())
            module = {module.start, module.end, module.bias, "(of another kernel)/linux-vdso.so.1",
                      true,         {}};
    }
}

void RecoveredProcess::read_earlier_sections() {
    read_items(record_.earlier_sections.items, record_.earlier_sections.count, earlier_sections_);
    for (EarlierSectionRecord& section : earlier_sections_) {
        section.name = keep_text(section.name, "(name lost)");
        section.level = std::min<std::uint32_t>(section.level, last_section_level);
    }
}

void RecoveredProcess::read_parameters() {
    read_items(record_.parameters.items, record_.parameters.count, parameters_);
    std::erase_if(parameters_, [this](ParameterRecord& parameter) {
        parameter.name[longest_parameter_name] = '\0';
        const bool is_sound = parameter.name[0] != '\0' && std::isfinite(parameter.value);
        left_out_ += !is_sound;
        return !is_sound;
    });
    record_.parameters.count = static_cast<std::uint32_t>(parameters_.size());
}

void RecoveredProcess::read_unwanted() {
    read_items(record_.unwanted.items, record_.unwanted.count, unwanted_);
    for (UnwantedFunction& function : unwanted_)
        if (function.why != Unwanted::excluded)
            function.why = Unwanted::over_budget;
}

void RecoveredProcess::read_threads() {
    const ThreadRecord* next = std::exchange(record_.threads, nullptr);
    ThreadRecord** link = &record_.threads;
    std::uint32_t count = 0;
    while (next) {
        ThreadRecord record;
        if (!image_->read(next, record) || !spend(sizeof record)) {
            left_out_++;
            break;
        }
        next = record.next;
        Thread& thread = threads_.emplace_back();
        thread.record = record;
        thread.record.next = nullptr;
        thread.record.latest_in_trace = nullptr;
        thread.record.name[sizeof record.name - 1] = '\0';
        // A circular list ends here: its nodes already have an owner.
        if (!read_nodes(thread)) {
            threads_.pop_back();
            continue;
        }
        if (!image_->read(thread.record.open_until, thread.open_until))
            thread.open_until = 0;
        thread.record.open_until = &thread.open_until;
        note_time(thread.record.started);
        read_segments(thread);
        read_messages(thread);
        read_addresses(thread);
        read_lock_waits(thread);
        read_latencies(thread);
        read_heap(thread);
        read_placement(thread);
        read_files(thread);
        read_side_tables(thread.record.side_tables, thread.side_words, &thread);
        read_items(thread.record.call_ratios.items, thread.record.call_ratios.count,
                   thread.call_ratios);
        *link = &thread.record;
        link = &thread.record.next;
        count++;
    }
    record_.thread_count = count;
}

// Numbers the threads as in the file if those numbers are valid and all different.
void RecoveredProcess::number_threads() {
    std::vector<bool> taken(threads_.size());
    bool sound = true;
    for (const Thread& thread : threads_) {
        const std::uint32_t number = thread.record.number;
        sound = sound && number < taken.size() && !taken[number];
        if (sound)
            taken[number] = true;
    }
    std::uint32_t number = record_.thread_count;
    for (Thread& thread : threads_) {
        number--;  // the list begins with the last thread
        if (!sound)
            thread.record.number = number;
        thread.record.root->body_offset = static_cast<std::int32_t>(thread.record.number);
    }
}

bool RecoveredProcess::read_nodes(Thread& thread) {
    thread.first_node = nodes_.size();
    const Node* next = std::exchange(thread.record.root, nullptr);
    while (next) {
        Node node;
        const auto address = reinterpret_cast<std::uint64_t>(next);
        const std::optional<std::size_t> offset = image_->offset(address, sizeof node);
        if (!image_->read(next, node) || !spend(sizeof node)) {
            left_out_++;
            break;
        }
        // In a fabricated file, a piece may be aligned differently from memory.
        if (*offset % node_alignment != 0 || !read_node(thread, node, *offset / node_alignment)) {
            left_out_++;
            if (!thread.record.root)
                break;
        }
        next = node.next_created;
    }
    thread.record.node_count = static_cast<std::uint32_t>(nodes_.size() - thread.first_node);
    return thread.record.root != nullptr;
}

bool RecoveredProcess::belongs_to(const Thread& thread, const Node* node) const {
    return node && node->number < thread.record.node_count &&
           node == &nodes_[thread.first_node + node->number];
}

Node* RecoveredProcess::node_at(const void* pointer) {
    const std::optional<std::size_t> offset =
        image_->offset(reinterpret_cast<std::uint64_t>(pointer), sizeof(Node));
    const std::uint32_t index =
        offset && *offset % node_alignment == 0 ? node_slots_[*offset / node_alignment] : 0;
    return index ? &nodes_[index - 1] : nullptr;
}

// Adds one node to the thread's tree. Returns false if it does not belong there.
bool RecoveredProcess::read_node(Thread& thread, const Node& found, std::size_t slot) {
    Node node = found;
    const bool is_root = !thread.record.root;
    thread.record.node_count = static_cast<std::uint32_t>(nodes_.size() - thread.first_node);
    if (node_slots_[slot] != 0 || (node.kind == NodeKind::root) != is_root ||
        !is_node_kind(static_cast<std::size_t>(node.kind)) || nodes_.size() == 0xffff'ffff)
        return false;
    Node* parent = is_root ? nullptr : node_at(node.parent);
    if (!is_root && !belongs_to(thread, parent))
        return false;
    const KeyKind key = row_of(node.kind).key;
    if (key == KeyKind::construct && openmp_construct(node.key) >= std::size(openmp_constructs))
        return false;
    if (key == KeyKind::text)
        node.key = reinterpret_cast<std::uintptr_t>(
            keep_text(reinterpret_cast<const char*>(node.key), "(name lost)"));
    if (key == KeyKind::section)
        node.key = reinterpret_cast<std::uintptr_t>(
            keep_section_name(reinterpret_cast<const char*>(node.key)));
    if (key == KeyKind::gpu_name)
        node.key = reinterpret_cast<std::uintptr_t>(
            gpu_name(reinterpret_cast<const GpuCallName*>(node.key)));
    if (node.module >= modules_.size())
        node.module = no_module;
    node.parent = parent;
    Node* callee = node_at(node.last_callee);
    node.last_callee = belongs_to(thread, callee) ? callee : nullptr;
    node.number = thread.record.node_count++;
    const std::uint64_t ticks = has_time_of_several(node) ? 0 : node.inclusive_ticks;
    node.next_created = nullptr;
    Node& kept = nodes_.emplace_back(node);
    node_slots_[slot] = static_cast<std::uint32_t>(nodes_.size());
    if (is_root)
        thread.record.root = &kept;
    else
        nodes_[nodes_.size() - 2].next_created = &kept;
    thread.ticks_of_callees.push_back(0);
    if (parent) {
        std::uint64_t& sum = thread.ticks_of_callees[parent->number];
        sum = saturating_sum(sum, ticks);
    }
    return true;
}

void RecoveredProcess::read_segments(Thread& thread) {
    const StackSegment* next = std::exchange(thread.record.segments, nullptr);
    std::unordered_map<const StackSegment*, StackSegment*> known;
    while (next) {
        StackSegment segment;
        if (known.contains(next) || !image_->read(next, segment) || !spend(sizeof segment)) {
            left_out_++;
            break;
        }
        segment.of_signals = false;  // without meaning here, and may have any value in the file
        StackSegment& kept = thread.segments.emplace_back(segment);
        known.emplace(std::exchange(next, segment.next), &kept);
        read_frames(thread, kept);
    }
    StackSegment** link = &thread.record.segments;
    for (StackSegment& segment : thread.segments) {
        auto interrupted = known.find(segment.interrupted);
        segment.interrupted = interrupted == known.end() ? nullptr : interrupted->second;
        segment.next = nullptr;
        *link = &segment;
        link = &segment.next;
    }
    // Calls that have ended on this tree ended within the time of the threads that used it.
    const std::uint64_t ended = thread.ticks_of_callees[0];
    if (ended > thread.record.lived_ticks)
        note_time(saturating_sum(thread.record.started, ended - thread.record.lived_ticks));
}

// Copies the open activations. Ended activations above them still have their start times.
void RecoveredProcess::read_frames(Thread& thread, StackSegment& segment) {
    std::vector<Frame>& frames = thread.frames.emplace_back(1);
    const auto first = reinterpret_cast<std::uint64_t>(segment.frames);
    bool open = true;
    for (std::uint64_t i = 0; i <= segment.capacity; i++) {
        Frame frame;
        if (!image_->read(first + i * sizeof frame, frame) || !spend(sizeof frame)) {
            left_out_ += open;
            break;
        }
        const bool is_base = i == 0;
        open = is_base || (open && frame.stack != 0);
        if (!open && !frame.node)
            break;  // the stack was never deeper
        if (frame.start > frame_last_kind)
            note_time(frame.start);
        note_time(frame.slow_start);
        if (!open)
            continue;
        frame.node = node_at(frame.node);
        const bool has_node = belongs_to(thread, frame.node);
        if (is_base) {
            frames[0] = frame;
            frames[0].node = has_node ? frame.node : thread.record.root;
            frames[0].start = frame_base;
        } else if (has_node) {  // the node of an overflow frame is not in the file
            frames.push_back(frame);
            note_open_frame(thread, frame);
        }
    }
    segment.capacity = segment.reserved = frames.size();
    segment.top = nullptr;
    frames.insert(frames.end(), 2, Frame{});  // frames[capacity] is a frame, too
    segment.frames = frames.data();
}

// The calls that were made in an activation ended after it began.
void RecoveredProcess::note_open_frame(const Thread& thread, const Frame& frame) {
    const std::uint64_t start = frame.start > frame_last_kind ? frame.start : frame.slow_start;
    if (frame.node->calls == 1)
        note_time(saturating_sum(start, thread.ticks_of_callees[frame.node->number]));
}

// Sets the pointers from one thread's tree to another's, now that all of them have been read.
void RecoveredProcess::connect_threads() {
    for (Node& node : nodes_)
        if (node.kind == NodeKind::graft) {
            Node* target = node_at(reinterpret_cast<const void*>(node.key));
            if (target && target->kind == NodeKind::alias)
                target = nullptr;
            left_out_ += !target;
            node.key = reinterpret_cast<std::uintptr_t>(target);
        }
    for (Thread& thread : threads_) {
        const Node* start = node_at(thread.record.start);
        thread.record.start = start && start->kind == NodeKind::thread ? start : nullptr;
        connect_messages(thread);
        connect_lock_waits(thread);
        connect_placement(thread);
    }
}

void RecoveredProcess::limit_times(std::uint64_t longest) {
    constexpr std::uint64_t most_calls = std::uint64_t{1} << 56;  // a year of one-tick calls
    for (Node& node : nodes_) {
        node.calls = std::min(node.calls, most_calls);
        if (!has_time_of_several(node))
            node.inclusive_ticks = std::min(node.inclusive_ticks, longest);
    }
    record_.paused_ticks = std::min(record_.paused_ticks, longest);
    // The times of threads that lived one after the other may add up to more.
    constexpr std::uint64_t most_lived = std::uint64_t{1} << 60;
    for (Thread& thread : threads_)
        thread.record.lived_ticks = std::min(thread.record.lived_ticks, most_lived);
}

void RecoveredProcess::name_thread(std::int32_t tid, const std::string& name) {
    for (Thread& thread : threads_)
        if (thread.record.tid == tid && thread.record.in_use && !thread.record.name[0])
            name.copy(thread.record.name, sizeof thread.record.name - 1);
}

}  // namespace vftrace
