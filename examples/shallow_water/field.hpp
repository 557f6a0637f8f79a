// A field of values on the cells of a grid: nx x ny interior cells and one layer of halo cells
// around them, for boundary conditions and, in a parallel run, for the values of neighbours.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace shallow_water {

// Number, size and position of the cells of the lake, or of the band of rows that is one process's
// part of it.
struct Grid {
    int nx = 0;  // interior cells in x
    int ny = 0;
    double dx = 0.0;  // width of a cell
    double dy = 0.0;
    double x0 = 0.0;  // lower left corner of the lake
    double y0 = 0.0;
    int rows_below = 0;  // rows of the lake below this part of it

    // Centre of cell i, j; interior cells are 1 to nx and 1 to ny.
    double x(int i) const { return x0 + (i - 0.5) * dx; }
    double y(int j) const { return y0 + (rows_below + j - 0.5) * dy; }
    double cell_area() const { return dx * dy; }
};

// Values are stored row by row, i fastest, halo included: what Fortran calls
// value(0:nx+1, 0:ny+1), so data() can be passed to a Fortran kernel.
template <class Value>
class Field {
  public:
    explicit Field(const Grid& grid, Value value = Value())
        : nx_(grid.nx), ny_(grid.ny),
          values_(static_cast<std::size_t>(nx_ + 2) * static_cast<std::size_t>(ny_ + 2), value) {}

    // i from 0 to nx() + 1, j from 0 to ny() + 1; 0 and the last are halo cells.
    Value& operator()(int i, int j) { return values_[index(i, j)]; }
    const Value& operator()(int i, int j) const { return values_[index(i, j)]; }

    int nx() const { return nx_; }
    int ny() const { return ny_; }
    int row_size() const { return nx_ + 2; }
    Value* data() { return values_.data(); }
    const Value* data() const { return values_.data(); }
    Value* row(int j) { return data() + index(0, j); }
    const Value* row(int j) const { return data() + index(0, j); }

    friend void swap(Field& a, Field& b) { a.values_.swap(b.values_); }

  private:
    std::size_t index(int i, int j) const {
        return static_cast<std::size_t>(j) * static_cast<std::size_t>(nx_ + 2) +
               static_cast<std::size_t>(i);
    }

    int nx_;
    int ny_;
    std::vector<Value> values_;
};

// The conserved quantities: water depth and momentum (depth times velocity).
struct State {
    explicit State(const Grid& grid) : h(grid), hu(grid), hv(grid) {}

    Field<double> h;
    Field<double> hu;
    Field<double> hv;
};

}  // namespace shallow_water
