// Samples processes that run already, until they end or somebody says so.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "attach/sample_stream.hpp"
#include "attach/sampled_profile.hpp"

namespace vftrace {

class SamplingSession : private SampleListener {
  public:
    SamplingSession(std::uint64_t period_ns, std::uint32_t stack_bytes);

    // Begins with a process. Throws AttachError.
    void attach(std::int32_t pid);
    bool any_runs() const { return !running_.empty(); }
    // Takes in what was sampled. To be called every 10 ms, or samples are lost.
    void take_samples();
    // What has been recorded; nothing is recorded any more.
    std::vector<FinishedSamples> finish();

  private:
    struct Running {
        std::unique_ptr<SampledProcess> process;
        std::size_t threads_left_out = 0;
        std::uint64_t counted_ns = 0;  // processor time of programs that it was before
    };
    SampledProcess* process(std::int32_t pid);
    void end(std::int32_t pid, Running& running, SampleEnd how, std::uint64_t ns);

    void sample(std::int32_t pid, std::int32_t tid, const Registers& registers,
                const CopiedStack& stack) override;
    void mapped(std::int32_t pid, CodeMapping mapping) override;
    void named(std::int32_t pid, std::int32_t tid, std::string_view name) override;
    void became_other_program(std::int32_t pid, std::uint64_t ns) override;
    void thread_began(std::int32_t pid, std::int32_t tid, std::uint64_t ns) override;
    void thread_ended(std::int32_t pid, std::int32_t tid, std::uint64_t ns) override;
    void lost(std::int32_t pid, std::uint64_t samples) override;

    std::uint64_t period_ns_;
    SampleStream stream_;
    ModuleFiles files_;
    std::map<std::int32_t, Running> running_;
    std::vector<FinishedSamples> finished_;
};

}  // namespace vftrace
