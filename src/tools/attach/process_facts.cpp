#include "attach/process_facts.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <fmt/core.h>

#include "attach/sample_stream.hpp"
#include "base/launcher.hpp"
#include "base/text.hpp"
#include "config/job_step.hpp"
#include "recover/running_process.hpp"

namespace vftrace {
namespace {

std::uint32_t number_in(const char* text) {
    std::uint32_t number = 0;
    if (text)
        std::from_chars(text, text + std::strlen(text), number);
    return number;
}

// The environment that the process was started with; empty if it may not be read.
class StartEnvironment {
  public:
    explicit StartEnvironment(std::int32_t pid)
        : text_(contents_of(fmt::format("/proc/{}/environ", pid)).value_or("")) {
        for (std::size_t at = 0; at < text_.size(); at += std::strlen(text_.c_str() + at) + 1)
            variables_.push_back(text_.data() + at);
        variables_.push_back(nullptr);
    }
    StartEnvironment(const StartEnvironment&) = delete;
    StartEnvironment& operator=(const StartEnvironment&) = delete;
    char* const* get() const { return variables_.data(); }

  private:
    std::string text_;
    std::vector<char*> variables_;
};

void read_job(ProcessFacts& facts) {
    const StartEnvironment environment(facts.pid);
    facts.job = launcher_step(environment.get());
    facts.batch_job = batch_job(environment.get());
    if (!is_one_of_several(environment.get()))
        return;
    for (const Launcher& launcher : launchers) {
        const char* const rank = value_in(environment.get(), launcher.rank);
        const std::uint32_t ranks =
            launcher.size ? number_in(value_in(environment.get(), launcher.size)) : 0;
        if (rank && ranks > 1 && number_in(rank) < ranks) {
            facts.is_rank = true;
            facts.rank = number_in(rank);
            facts.ranks = ranks;
            return;
        }
    }
}

// Launchers and the shells that they start have the variables of a rank, too.
bool uses_mpi(std::int32_t pid) {
    const std::string maps = contents_of(fmt::format("/proc/{}/maps", pid)).value_or("");
    return maps.find("/libmpi") != maps.npos || maps.find("/libpmpi") != maps.npos;
}

bool is_32_bit(std::int32_t pid) {
    std::ifstream program(fmt::format("/proc/{}/exe", pid), std::ios::binary);
    char identity[EI_NIDENT] = {};
    return program.read(identity, sizeof identity) && identity[EI_CLASS] == ELFCLASS32;
}

}  // namespace

ProcessFacts facts_of_process(std::int32_t pid) {
    ProcessFacts facts;
    facts.pid = pid;
    facts.start = start_of_process(pid).value_or(0);
    if (facts.start == 0)
        throw AttachError(fmt::format("{}: no such process", pid));
    if (is_kernel_thread(pid))
        throw AttachError(fmt::format("{}: is a thread of the kernel", pid));
    if (is_32_bit(pid))
        throw AttachError(fmt::format("{}: runs a 32-bit program, which cannot be sampled", pid));
    facts.parent = parent_of(pid);
    struct stat status;
    if (stat(fmt::format("/proc/{}", pid).c_str(), &status) == 0)
        facts.owner = status.st_uid;
    std::string arguments = contents_of(fmt::format("/proc/{}/cmdline", pid)).value_or("");
    facts.application = base_name(arguments.c_str());  // up to the first NUL
    std::replace(arguments.begin(), arguments.end(), '\0', ' ');
    facts.command_line = trim(arguments);
    if (facts.application.empty())
        facts.application = kernel_name(pid);
    read_job(facts);
    return facts;
}

std::vector<std::int32_t> processes_of_job_named(const std::string& job) {
    std::vector<std::int32_t> all, ranks;
    const auto is_meant = [&job](const std::string& name) {
        return name == job ||
               (name.size() > job.size() && name.starts_with(job) && name[job.size()] == '.');
    };
    std::error_code error;
    for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::int32_t pid = 0;
        const auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (problem != std::errc() || rest != name.data() + name.size())
            continue;
        try {
            const ProcessFacts facts = facts_of_process(pid);
            if (!is_meant(facts.job) && !is_meant(facts.batch_job))
                continue;
            all.push_back(pid);
            if (facts.is_rank && uses_mpi(pid))
                ranks.push_back(pid);
        } catch (const AttachError&) {  // it has just ended, or is of no interest
        }
    }
    std::vector<std::int32_t>& found = ranks.empty() ? all : ranks;
    std::sort(found.begin(), found.end());
    return std::move(found);
}

bool are_of_one_job(const ProcessFacts& a, const ProcessFacts& b) {
    const bool same_launcher = !a.job.empty() || a.parent == b.parent;
    return a.is_rank && b.is_rank && same_launcher && a.job == b.job && a.ranks == b.ranks &&
           a.rank != b.rank && a.application == b.application;
}

}  // namespace vftrace
