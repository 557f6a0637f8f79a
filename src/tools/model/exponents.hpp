// The exponents that performance models are made of: p^(i/j) * log2(p)^k.
//
// Those of Extra-P's search space: Ritter, Geiss, Wolf et al., "Noise-Resilient Empirical
// Performance Modeling with Deep Neural Networks", IPDPS 2021, section II; the normal form is that
// of Calotoiu, Hoefler, Poke, Wolf, "Using Automated Performance Modeling to Find Scalability Bugs
// in Complex Codes", SC 2013. Beyond these, powers up to 4.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vftrace {

struct Exponents {
    std::int8_t numerator = 0, denominator = 1;  // of the power; lowest terms
    std::int8_t log = 0;                         // exponent of log2(p)

    constexpr double power() const { return static_cast<double>(numerator) / denominator; }
    // p^(i/j) * log2(p)^k, for p > 0.
    double operator()(double p) const;

    constexpr bool operator==(const Exponents&) const = default;
    // Faster growth is larger.
    constexpr std::strong_ordering operator<=>(const Exponents& other) const {
        const int here = numerator * other.denominator, there = other.numerator * denominator;
        return here != there ? here <=> there : log <=> other.log;
    }
};

// The exponents that are tried.
class ExponentSet {
  public:
    // Those of Extra-P, and 7/2 and 4.
    ExponentSet();
    // All combinations of these, whatever their order; a power is a numerator and a denominator,
    // both from 1 to 100, or 0 and 1. Logarithms are from 0 to 4.
    ExponentSet(std::span<const Exponents> powers, std::span<const std::int8_t> logs);

    // Adds 9/2 and 5.
    void add_powers_up_to_5();

    // The exponents of what grows with the parameter, slowest first.
    std::span<const Exponents> growing() const { return growing_; }
    // The same powers with the opposite sign, for falling values; fastest first. Without
    // logarithms, because with these they would rise first.
    std::span<const Exponents> shrinking() const { return shrinking_; }

  private:
    void arrange();

    std::vector<Exponents> growing_, shrinking_;
};

}  // namespace vftrace
