// A sparse matrix, and systems of linear equations by conjugate gradients.
#pragma once

#include <cstdint>

#include "mesh.hpp"

namespace mini {

class SparseMatrix {
  public:
    struct Entry {
        std::uint32_t column;
        double value;
    };
    class Row {
      public:
        Row(const Entry* begin, const Entry* end) : begin_(begin), end_(end) {}
        const Entry* begin() const { return begin_; }
        const Entry* end() const { return end_; }

      private:
        const Entry *begin_, *end_;
    };

    std::size_t rows() const { return starts_.size() - 1; }
    Row row(std::size_t i) const {
        return {entries_.data() + starts_[i], entries_.data() + starts_[i + 1]};
    }
    void add(std::size_t column, double value) {
        entries_.push_back({static_cast<std::uint32_t>(column), value});
    }
    void end_row() { starts_.push_back(entries_.size()); }

  private:
    std::vector<Entry> entries_;
    std::vector<std::size_t> starts_{0};
};

inline SparseMatrix diffusion_matrix(const Mesh& mesh, double step) {
    SparseMatrix matrix;
    for (std::size_t cell : Range(mesh.cells())) {
        double diagonal = mesh.area(cell);
        for (int i = 0; i < 3; i++)
            if (const std::uint32_t other = mesh.neighbour(cell, i); other != no_cell) {
                const double distance = length(mesh.centre(other) - mesh.centre(cell));
                const double flow = step * mesh.edge(cell, i) / distance;
                matrix.add(other, -flow);
                diagonal += flow;
            }
        matrix.add(cell, diagonal);
        matrix.end_row();
    }
    return matrix;
}

inline double row_product(const SparseMatrix& matrix, std::size_t row, const Field<double>& x) {
    double sum = 0;
    const double* values = x.data();
    for (const SparseMatrix::Entry& entry : matrix.row(row))
        sum += entry.value * values[entry.column];
    return sum;
}

inline void multiply(const SparseMatrix& matrix, const Field<double>& x, Field<double>& result) {
    for (std::size_t row : Range(matrix.rows()))
        result[row] = row_product(matrix, row, x);
}

inline double dot(const Field<double>& a, const Field<double>& b) {
    double sum = 0;
    const double *left = a.data(), *right = b.data();
    for (std::size_t i = 0, n = a.size(); i < n; i++)
        sum += left[i] * right[i];
    return sum;
}

// result = a + factor * b
inline void combine(const Field<double>& a, double factor, const Field<double>& b,
                    Field<double>& result) {
    const double *left = a.data(), *right = b.data();
    double* sum = result.data();
    for (std::size_t i = 0, n = a.size(); i < n; i++)
        sum[i] = left[i] + factor * right[i];
}

// Returns the remaining residual.
inline double solve(const SparseMatrix& matrix, const Field<double>& right, Field<double>& x,
                    int iterations) {
    Field<double> residual(x.size()), direction(x.size()), image(x.size());
    multiply(matrix, x, image);
    combine(right, -1, image, residual);
    direction = residual;
    double norm = dot(residual, residual);
    for (int i = 0; i < iterations; i++) {
        multiply(matrix, direction, image);
        const double factor = norm / dot(direction, image);
        combine(x, factor, direction, x);
        combine(residual, -factor, image, residual);
        const double next = dot(residual, residual);
        combine(residual, next / norm, direction, direction);
        norm = next;
    }
    return norm;
}

}  // namespace mini
