// Reads the requested signals: energy, power, frequency, temperature, cycles of this host. The rows
// of host_signals/signal_table.hpp say which source reads which signal.
//
// Nothing is guessed: there is no signal for a value that cannot be read, and a message gives the
// reason and the remedy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "host_signals/signal.hpp"
#include "host_signals/signal_source.hpp"

namespace vftrace {

class GpuLibrary;
class Processors;
class ThreadCycles;
struct SignalRow;
enum class SignalFigure : std::uint8_t;

struct SignalSettings {
    std::string system_files = "/sys";
    std::string processes_files = "/proc";
    bool gpus = true;
};

// To be used by one thread at a time. All its functions but read() allocate memory.
class SignalReader {
  public:
    // Opens what the requests need, and nothing else. Sums start at 0.
    SignalReader(const SignalSettings& settings, std::span<const SignalRequest> requests);
    ~SignalReader();
    SignalReader(const SignalReader&) = delete;
    SignalReader& operator=(const SignalReader&) = delete;

    // In the order of the requests; the signals of one request are sorted by index.
    const std::vector<Signal>& signals() const { return signals_; }
    // A text for each thing that cannot be read: the reason and the remedy. follow_threads() may
    // add some.
    const std::vector<std::string>& problems() const { return problems_; }

    // Sets a value for each signal, in its unit. A sum only grows. What cannot be read at this
    // moment is not a number; when a sum can be read again, it includes what was counted in the
    // meantime. Allocates nothing.
    void read(std::span<double> values);

    // Sets the threads whose cycles and instructions count from now on; those of threads that are
    // gone stay in the sums. A call of read() reads at most 16 threads: if there are more, sums are
    // known only in the calls that complete a pass over all threads.
    void follow_threads(std::span<const pid_t> threads);

    // The nominal frequency of the processor, Hz; 0: not known.
    double sticker_hz();

  private:
    // A row of the table that is read, for one signal or several.
    struct Figure {
        const SignalRow* row = nullptr;
        FoundParts found = {};
        std::vector<double> values = {};  // by part
        // For a rate: the figure that is differentiated, and what it was when last known.
        const Figure* rate_of = nullptr;
        std::vector<double> last_values = {}, last_s = {};
    };
    // The parts of a signal.
    struct Output {
        const Figure* figure;
        std::vector<std::uint32_t> parts;  // positions in its values
        bool is_mean;
    };

    void add(const SignalRequest& request);
    void add_problem(const std::string& text);
    // Why a request cannot be met, whatever hardware the machine has; empty if it can.
    std::string mistake_in(const SignalRequest& request) const;
    void add_signals(const SignalRequest& request, const Figure& figure);
    void add_signal(const SignalRequest& request, const Figure& figure, std::uint32_t index,
                    std::vector<std::uint32_t> parts);

    Figure& figure_of(const SignalRow& row);
    FoundParts find(const SignalRow& row);
    FoundParts find_board(const SignalRow& row);
    FoundParts find_gpus(const SignalRow& row);
    FoundParts find_threads(const SignalRow& row);
    static void make_rate(Figure& figure, const Figure& of);
    static void read_rate(Figure& figure, double now_s);
    const Processors& processors();
    double now_s() const;

    HostFiles files_;
    bool gpus_;
    std::uint64_t start_ns_;
    std::optional<double> sticker_hz_;
    std::vector<SignalFigure> of_threads_;  // that are requested
    std::unique_ptr<Processors> processors_;
    std::unique_ptr<ThreadCycles> threads_;
    std::size_t problems_of_threads_ = 0;  // that have been reported
    std::unique_ptr<GpuLibrary> gpu_library_;
    std::optional<std::string> why_no_gpus_;  // set when they have been looked for

    // Sources refer to entries above. A rate comes after its source.
    std::vector<std::unique_ptr<Figure>> figures_;
    std::vector<Output> outputs_;  // by signal
    std::vector<Signal> signals_;
    std::vector<std::string> problems_;
};

}  // namespace vftrace
