// Helpers for building process records: trees of several threads as in the memory of a process.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "record/openmp_constructs.hpp"
#include "record/process_record.hpp"

namespace vftrace::test {

class ThreadBuilder {
  public:
    explicit ThreadBuilder(std::uint32_t number) {
        record.number = number;
        record.threads = 1;
        record.in_use = 1;
        record.root = &add(nullptr, NodeKind::root, retired_bit | 1);
        record.root->body_offset = static_cast<std::int32_t>(number);
    }
    ThreadBuilder(const ThreadBuilder&) = delete;
    ThreadBuilder& operator=(const ThreadBuilder&) = delete;

    Node& add(Node* parent, NodeKind kind, std::uintptr_t key, std::uint64_t calls = 0,
              std::uint64_t ticks = 0) {
        Node* const last = nodes_.empty() ? nullptr : &nodes_.back();
        Node& node = nodes_.emplace_back();
        node.key = key;
        node.parent = parent;
        node.calls = calls;
        node.inclusive_ticks = ticks;
        node.number = static_cast<std::uint32_t>(nodes_.size() - 1);
        node.module = no_module;
        node.kind = kind;
        if (last)
            last->next_created = &node;
        record.node_count = node.number + 1;
        return node;
    }
    // A region, which has a name without files.
    Node& region(Node& parent, const char* name, std::uint64_t calls, std::uint64_t ticks) {
        return add(&parent, NodeKind::region, reinterpret_cast<std::uintptr_t>(name), calls, ticks);
    }
    Node& openmp(Node& parent, OpenmpConstruct construct, std::uint64_t calls,
                 std::uint64_t ticks) {
        return add(&parent, NodeKind::openmp, openmp_key(construct, 0), calls, ticks);
    }
    Node& thread_place(Node& parent) { return add(&parent, NodeKind::thread, thread_key); }
    Node& graft(Node& parent, const Node* target, std::uint64_t calls, std::uint64_t ticks) {
        return add(&parent, NodeKind::graft, reinterpret_cast<std::uintptr_t>(target), calls,
                   ticks);
    }

    // A stack with these open activations, the outermost first.
    StackSegment& stack(std::initializer_list<Frame> open) {
        std::vector<Frame>& frames = frames_.emplace_back();
        frames.push_back({record.root, frame_base, 0, 0});
        frames.insert(frames.end(), open);
        const std::size_t capacity = frames.size() + 1;
        frames.resize(capacity + 1);
        StackSegment& segment = segments_.emplace_back();
        segment.frames = frames.data();
        segment.capacity = segment.reserved = capacity;
        segment.next = record.segments;
        record.segments = &segment;
        return segment;
    }

    Node& root() { return *record.root; }
    std::deque<Node>& nodes() { return nodes_; }
    void set_name(const char* name) { std::strncpy(record.name, name, sizeof record.name - 1); }

    ThreadRecord record{};

  private:
    std::deque<Node> nodes_;
    std::deque<std::vector<Frame>> frames_;
    std::deque<StackSegment> segments_;
};

class ProcessBuilder {
  public:
    // As in a process, the list begins with the thread that was added last.
    ThreadBuilder& add_thread() {
        ThreadBuilder& thread = threads_.emplace_back(record.thread_count++);
        thread.record.next = record.threads;
        record.threads = &thread.record;
        return thread;
    }
    std::deque<ThreadBuilder>& threads() { return threads_; }

    // The only file with code, at 0x400000. It does not exist, so addresses serve as names of its
    // functions.
    void load_module() {
        module_.start = module_.bias = 0x400000;
        module_.end = 0x500000;
        module_.path = "/nowhere/program";
        module_.loaded = true;
        record.modules.modules = &module_;
        record.modules.count = 1;
    }

    ProcessRecord record{};

  private:
    std::deque<ThreadBuilder> threads_;
    LoadedModule module_{};
};

}  // namespace vftrace::test
