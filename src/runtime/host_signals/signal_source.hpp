// The interface of all sources of signals: packages, sensors, devices, with one value each.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vftrace {

// The value of what cannot be read at this moment.
inline constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

// Reads one figure of all parts of the host that have it.
class SignalSource {
  public:
    SignalSource() = default;
    virtual ~SignalSource() = default;
    SignalSource(const SignalSource&) = delete;
    SignalSource& operator=(const SignalSource&) = delete;

    // Sets a value for each part, in the units of the table: what has been counted since the source
    // was created, or a state; unknown_value if that cannot be read now. `now_s`: seconds since the
    // reader was created. Allocates nothing. It is not pure virtual, because that needs a function
    // of libstdc++.
    virtual void read(double /*now_s*/, std::span<double> /*values*/) {}
};

// Why something cannot be read, for users, with the remedy.
struct SignalProblem {
    std::string text;
    // The machine does not have this, which matters only if it was requested. Otherwise it has, but
    // does not let us read it.
    bool is_absence = false;
};

// The available values of a figure.
struct FoundParts {
    std::unique_ptr<SignalSource> source;  // nullptr: nothing can be read
    // For each part, the index of what it belongs to in the figure's native domain. Parts of the
    // same package, such as dies, have its index.
    std::vector<std::uint32_t> parts;
    // The same for parts that exist but cannot be read: what they belong to does not have a value.
    std::vector<std::uint32_t> unreadable;
    std::vector<SignalProblem> problems;

    bool is_whole() const { return unreadable.empty(); }
};

// Where the kernel's files are: /sys and /proc except in tests.
struct HostFiles {
    std::string system, processes;
};

}  // namespace vftrace
