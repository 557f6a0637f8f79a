// Keeps the program's floating-point traps and flags out of our arithmetic, and ours out of the
// program's.
#pragma once

#include <cfenv>

namespace vftrace {

// While one exists, nothing traps, and afterwards flags, traps and rounding are as before. A
// Fortran program built with -ffpe-trap would otherwise be killed by a 0/0 in its own profile.
class HeldFloatingPointTraps {
  public:
    HeldFloatingPointTraps() { std::feholdexcept(&saved_); }
    ~HeldFloatingPointTraps() { std::fesetenv(&saved_); }
    HeldFloatingPointTraps(const HeldFloatingPointTraps&) = delete;
    HeldFloatingPointTraps& operator=(const HeldFloatingPointTraps&) = delete;

  private:
    std::fenv_t saved_;
};

}  // namespace vftrace
