// Sources that read one file for each part of the host: counters and states.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host_signals/counter_sum.hpp"
#include "host_signals/kernel_file.hpp"
#include "host_signals/signal_source.hpp"
#include "host_signals/signal_table.hpp"

namespace vftrace {

class CounterFiles : public SignalSource {
  public:
    explicit CounterFiles(double file_unit) : file_unit_(file_unit) {}
    // Counts from now on. Returns false if the file cannot be read; file.why_not() then has the
    // reason.
    bool add(KernelFile& file, std::uint64_t range);
    void read(double now_s, std::span<double> values) override;

  private:
    struct Counter {
        KernelFile file;
        std::uint64_t range;
        CounterSum sum;
    };
    std::optional<std::int64_t> next_number(Counter& counter, double most_growth) const;

    std::vector<Counter> counters_;
    double file_unit_;
    double last_s_ = 0;
    unsigned readings_ = 0;
};

class StateFiles : public SignalSource {
  public:
    explicit StateFiles(double file_unit) : file_unit_(file_unit) {}
    bool add(KernelFile& file);  // as above
    void read(double now_s, std::span<double> values) override;

  private:
    std::vector<KernelFile> files_;
    double file_unit_;
};

// Reports files that cannot be read: names the first one, and what helps.
class UnreadableFiles {
  public:
    void add(const KernelFile& file);
    bool any() const { return count_ > 0; }
    // "CPU_ENERGY: /sys/...: Permission denied (and 2 more); an administrator ...".
    std::string text(const char* signal) const;

  private:
    std::string first_, why_;
    bool denied_ = false;
    std::size_t count_ = 0;
};

// Collects the files of a figure.
template <class Source>
class FilesOfParts {
  public:
    explicit FilesOfParts(const SignalRow& row)
        : row_(row), source_(std::make_unique<Source>(row.file_unit)) {}

    // `range`: for counters, see above.
    template <class... Range>
    void add(const std::string& path, std::uint32_t part, Range... range) {
        KernelFile file(path);
        if (source_->add(file, range...)) {
            found_.parts.push_back(part);
        } else {
            found_.unreadable.push_back(part);
            unreadable_.add(file);
        }
    }

    // `absent`: the message if no file was found.
    FoundParts finish(const std::string& absent) {
        if (unreadable_.any())
            found_.problems.push_back({unreadable_.text(row_.name)});
        if (!found_.parts.empty())
            found_.source = std::move(source_);
        else if (found_.problems.empty())
            found_.problems.push_back(
                {std::string(row_.name) + ": " + absent + " (see man vftrace-run)", true});
        return std::move(found_);
    }

  private:
    const SignalRow& row_;
    std::unique_ptr<Source> source_;
    UnreadableFiles unreadable_;
    FoundParts found_;
};

}  // namespace vftrace
