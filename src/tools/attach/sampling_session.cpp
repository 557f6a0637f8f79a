#include "attach/sampling_session.hpp"

#include "base/clock.hpp"
#include "recover/running_process.hpp"

namespace vftrace {

SamplingSession::SamplingSession(std::uint64_t period_ns, std::uint32_t stack_bytes)
    : period_ns_(period_ns), stream_(period_ns, stack_bytes) {}

void SamplingSession::attach(std::int32_t pid) {
    const ProcessFacts facts = facts_of_process(pid);
    if (running_.count(pid))
        return;
    const std::size_t left_out = stream_.attach(pid);
    Running& running = running_[pid];
    running.threads_left_out = left_out;
    running.process = std::make_unique<SampledProcess>(facts, files_, period_ns_);
}

SampledProcess* SamplingSession::process(std::int32_t pid) {
    const auto running = running_.find(pid);
    return running == running_.end() ? nullptr : running->second.process.get();
}

void SamplingSession::end(std::int32_t pid, Running& running, SampleEnd how, std::uint64_t ns) {
    const std::uint64_t used_ns = stream_.processor_ns(pid);
    running.process->finish(ns, used_ns - running.counted_ns);
    running.counted_ns = used_ns;
    finished_.push_back({std::move(running.process), how, running.threads_left_out});
}

void SamplingSession::take_samples() {
    std::vector<std::int32_t> ended;
    for (const auto& [pid, running] : running_)
        if (start_of_process(pid) != running.process->facts().start)
            ended.push_back(pid);
    for (auto& [pid, running] : running_)
        running.process->refresh();
    stream_.read(*this);
    for (std::int32_t pid : ended)
        if (const auto running = running_.find(pid); running != running_.end()) {
            end(pid, running->second, SampleEnd::ended, monotonic_ns());
            running_.erase(running);
        }
}

std::vector<FinishedSamples> SamplingSession::finish() {
    take_samples();
    for (auto& [pid, running] : running_)
        end(pid, running, SampleEnd::requested, monotonic_ns());
    running_.clear();
    stream_.stop();
    return std::move(finished_);
}

void SamplingSession::sample(std::int32_t pid, std::int32_t tid, const Registers& registers,
                             const CopiedStack& stack) {
    if (SampledProcess* sampled = process(pid))
        sampled->add_sample(tid, registers, stack);
}

void SamplingSession::mapped(std::int32_t pid, CodeMapping mapping) {
    if (SampledProcess* sampled = process(pid))
        sampled->add_mapping(mapping);
}

void SamplingSession::named(std::int32_t pid, std::int32_t tid, std::string_view name) {
    if (SampledProcess* sampled = process(pid))
        sampled->name_thread(tid, name);
}

void SamplingSession::became_other_program(std::int32_t pid, std::uint64_t ns) {
    const auto running = running_.find(pid);
    if (running == running_.end())
        return;
    end(pid, running->second, SampleEnd::exec, ns);
    try {
        running->second.process =
            std::make_unique<SampledProcess>(facts_of_process(pid), files_, period_ns_);
    } catch (const AttachError&) {  // it has ended meanwhile, or cannot be sampled any more
        running_.erase(running);
    }
}

void SamplingSession::thread_began(std::int32_t pid, std::int32_t tid, std::uint64_t ns) {
    if (SampledProcess* sampled = process(pid))
        sampled->begin_thread(tid, ns);
}

void SamplingSession::thread_ended(std::int32_t pid, std::int32_t tid, std::uint64_t ns) {
    if (SampledProcess* sampled = process(pid))
        sampled->end_thread(tid, ns);
}

void SamplingSession::lost(std::int32_t pid, std::uint64_t samples) {
    if (SampledProcess* sampled = process(pid))
        sampled->add_lost(samples);
}

}  // namespace vftrace
