// The interface of all sources of signals: packages, sensors, devices, with one value each.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vftrace {

// What cannot be read at this moment.
inline constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

// Reads one figure of all parts of the host that have it.
class SignalSource {
  public:
    SignalSource() = default;
    virtual ~SignalSource() = default;
    SignalSource(const SignalSource&) = delete;
    SignalSource& operator=(const SignalSource&) = delete;

    // Sets a value for each part, in the units of the table: what has been counted since the source
    // was made, or a state; unknown_value where that cannot be read now. `now_s`: seconds since
    // then. Allocates nothing. It is not pure, because that needs a function of libstdc++.
    virtual void read(double /*now_s*/, std::span<double> /*values*/) {}
};

// Why something cannot be read, for users, with the remedy.
struct SignalProblem {
    std::string text;
    // The machine has no such thing, which matters only if it was requested. Else it has,
    // and does not let us read it.
    bool is_absence = false;
};

// The available values of a figure.
struct FoundParts {
    std::unique_ptr<SignalSource> source;  // nullptr: nothing can be read
    // Of each part the index of what it belongs to in the figure's native domain. Parts of the same
    // package, as dies, have its index.
    std::vector<std::uint32_t> parts;
    // The same of those that there are, but cannot be read: what these belong to has no value.
    std::vector<std::uint32_t> unreadable;
    std::vector<SignalProblem> problems;

    bool is_whole() const { return unreadable.empty(); }
};

// Where the kernel's files are: /sys and /proc but in tests.
struct HostFiles {
    std::string system, processes;
};

}  // namespace vftrace
