// A performance model in normal form: a constant and terms c * prod_l p_l^(i/j) * log2(p_l)^k.
// Several parameters: Calotoiu, Beckingsale, Earl, Hoefler, Karlin, Schulz, Wolf, "Fast
// Multi-Parameter Performance Modeling", CLUSTER 2016.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/exponents.hpp"

namespace vftrace {

// p_l^(i/j) * log2(p_l)^k.
struct Factor {
    std::uint32_t parameter = 0;  // index l
    Exponents exponents;

    bool operator==(const Factor&) const = default;
};

// A product of factors of different parameters, sorted by parameter.
using Product = std::vector<Factor>;

double value_of(const Product& product, std::span<const double> parameters);

struct Term {
    double coefficient = 0;
    Product factors;
};

struct ScalingModel {
    double constant = 0;
    std::vector<Term> terms;  // fastest growth first

    // The value of the model at a value of each parameter, all above 0.
    double operator()(std::span<const double> parameters) const;
    bool is_constant() const { return terms.empty(); }
};

// "2.1 + 0.034 * n^(3/2) * log2(n)"; numbers have four digits.
std::string formula(const ScalingModel& model, std::span<const std::string> names);
// Its asymptotic growth in all parameters: "n^(3/2) * log2(n)", "1"; for several parameters, all
// terms that no other one outgrows.
std::string growth_order(const ScalingModel& model, std::span<const std::string> names);
// The same as numbers: power and exponent of the logarithm, all parameters treated as one.
struct LeadingTerm {
    double power = 0;
    int log = 0;
    auto operator<=>(const LeadingTerm&) const = default;
};
LeadingTerm growth(const ScalingModel& model);

}  // namespace vftrace
