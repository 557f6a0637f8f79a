// Finite elements in C++ templates: heat spreads through a distorted mesh of hexahedra, whose
// conductivity depends on the temperature. Each time step assembles a sparse matrix by quadrature
// and solves with conjugate gradients. The accessors of 1 to 3 ns are left to the compiler on
// purpose.
//
//   finite_elements [SECONDS]
#include <cmath>
#include <cstdio>

#include "work_scale.h"

template <typename T>
class Array {
  public:
    explicit Array(int size) : size_(size), values_(new T[size]()) {}
    ~Array() { delete[] values_; }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    int size() const { return size_; }
    T& operator[](int i) { return values_[i]; }
    const T& operator[](int i) const { return values_[i]; }

  private:
    int size_;
    T* values_;
};

template <int Rows, int Columns>
class SmallMatrix {
  public:
    double& operator()(int i, int j) { return values_[i * Columns + j]; }
    double operator()(int i, int j) const { return values_[i * Columns + j]; }

  private:
    double values_[Rows * Columns] = {};
};

using Field = Array<double>;

// A sparse matrix, stored row by row; the columns of each row are in ascending order.
template <typename Value>
class SparseMatrix {
  public:
    SparseMatrix(int rows, int entries) : start_(rows + 1), column_(entries), value_(entries) {}
    int rows() const { return start_.size() - 1; }
    int row_begin(int row) const { return start_[row]; }
    int row_end(int row) const { return start_[row + 1]; }
    int column(int entry) const { return column_[entry]; }
    Value& value(int entry) { return value_[entry]; }
    const Value& value(int entry) const { return value_[entry]; }
    void end_row(int row, int entry) { start_[row + 1] = entry; }
    void set_column(int entry, int column) { column_[entry] = column; }

  private:
    Array<int> start_, column_;
    Array<Value> value_;
};

// The Gauss rule with two points along each axis of the cube [-1, 1]^3, all of weight 1.
template <int Dimensions>
struct TwoPointRule {
    static constexpr int points = 1 << Dimensions;
    static double coordinate(int point, int axis) {
        return (point >> axis & 1) ? 0.57735026918962576 : -0.57735026918962576;
    }
};

// The element with nodes in the corners of the cube.
template <int Dimensions>
struct Corners {
    static constexpr int nodes = 1 << Dimensions;
    static double sign(int node, int axis) { return (node >> axis & 1) ? 1.0 : -1.0; }
    // A node's shape function at a point, or its derivative along an axis.
    static double shape(int node, const double* at, int along = -1) {
        double product = 1;
        for (int axis = 0; axis < Dimensions; axis++)
            product *= 0.5 * (axis == along ? sign(node, axis) : 1 + sign(node, axis) * at[axis]);
        return product;
    }
};

using Matrix = SparseMatrix<double>;
constexpr int side = 14;  // elements along each edge
constexpr double time_step = 0.05;
using Element = Corners<3>;
using Rule = TwoPointRule<3>;
using ElementMatrix = SmallMatrix<Element::nodes, Element::nodes>;
using Gradients = SmallMatrix<Element::nodes, 3>;

class Mesh {
  public:
    Mesh()
        : coordinates_(3 * (side + 1) * (side + 1) * (side + 1)),
          nodes_(Element::nodes * side * side * side) {}
    int node_count() const { return coordinates_.size() / 3; }
    int element_count() const { return nodes_.size() / Element::nodes; }
    int node(int element, int corner) const { return nodes_[Element::nodes * element + corner]; }
    int& node(int element, int corner) { return nodes_[Element::nodes * element + corner]; }
    double coordinate(int node, int axis) const { return coordinates_[3 * node + axis]; }
    double& coordinate(int node, int axis) { return coordinates_[3 * node + axis]; }

  private:
    Field coordinates_;
    Array<int> nodes_;
};

static int node_number(int i, int j, int k) { return (k * (side + 1) + j) * (side + 1) + i; }

// The unit cube, with its inner nodes moved.
NOINLINE static void make_mesh(Mesh& mesh) {
    const double pi = std::acos(-1.0);
    for (int k = 0; k <= side; k++)
        for (int j = 0; j <= side; j++)
            for (int i = 0; i <= side; i++) {
                const double x[3] = {double(i) / side, double(j) / side, double(k) / side};
                const double bump =
                    0.05 * std::sin(pi * x[0]) * std::sin(pi * x[1]) * std::sin(2 * pi * x[2]);
                for (int axis = 0; axis < 3; axis++)
                    mesh.coordinate(node_number(i, j, k), axis) = x[axis] + bump * (axis + 1) / 3;
            }
    for (int e = 0; e < mesh.element_count(); e++)
        for (int corner = 0; corner < Element::nodes; corner++)
            mesh.node(e, corner) =
                node_number(e % side + (corner & 1), e / side % side + (corner >> 1 & 1),
                            e / (side * side) + (corner >> 2));
}

// An entry for each pair of nodes that have an element in common.
NOINLINE static void make_pattern(Matrix& matrix) {
    int entry = 0;
    for (int k = 0; k <= side; k++)
        for (int j = 0; j <= side; j++)
            for (int i = 0; i <= side; i++) {
                for (int c = k - 1; c <= k + 1; c++)
                    for (int b = j - 1; b <= j + 1; b++)
                        for (int a = i - 1; a <= i + 1; a++)
                            if (a >= 0 && a <= side && b >= 0 && b <= side && c >= 0 && c <= side)
                                matrix.set_column(entry++, node_number(a, b, c));
                matrix.end_row(node_number(i, j, k), entry);
            }
}

NOINLINE static SmallMatrix<3, 3> jacobian(const Mesh& mesh, int element, const double* at) {
    SmallMatrix<3, 3> result;
    for (int corner = 0; corner < Element::nodes; corner++) {
        const int node = mesh.node(element, corner);
        for (int along = 0; along < 3; along++) {
            const double slope = Element::shape(corner, at, along);
            for (int axis = 0; axis < 3; axis++)
                result(along, axis) += slope * mesh.coordinate(node, axis);
        }
    }
    return result;
}

// Returns the determinant.
NOINLINE static double invert(const SmallMatrix<3, 3>& a, SmallMatrix<3, 3>& inverse) {
    const double c0 = a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1),
                 c1 = a(1, 2) * a(2, 0) - a(1, 0) * a(2, 2),
                 c2 = a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0);
    const double determinant = a(0, 0) * c0 + a(0, 1) * c1 + a(0, 2) * c2, r = 1 / determinant;
    inverse(0, 0) = c0 * r;
    inverse(1, 0) = c1 * r;
    inverse(2, 0) = c2 * r;
    inverse(0, 1) = (a(0, 2) * a(2, 1) - a(0, 1) * a(2, 2)) * r;
    inverse(1, 1) = (a(0, 0) * a(2, 2) - a(0, 2) * a(2, 0)) * r;
    inverse(2, 1) = (a(0, 1) * a(2, 0) - a(0, 0) * a(2, 1)) * r;
    inverse(0, 2) = (a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1)) * r;
    inverse(1, 2) = (a(0, 2) * a(1, 0) - a(0, 0) * a(1, 2)) * r;
    inverse(2, 2) = (a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0)) * r;
    return determinant;
}

NOINLINE static Gradients shape_gradients(const SmallMatrix<3, 3>& inverse, const double* at) {
    Gradients result;
    for (int corner = 0; corner < Element::nodes; corner++)
        for (int along = 0; along < 3; along++) {
            const double slope = Element::shape(corner, at, along);
            for (int axis = 0; axis < 3; axis++)
                result(corner, axis) += inverse(axis, along) * slope;
        }
    return result;
}

NOINLINE static double conductivity(double temperature) {
    return 1 + 0.5 * temperature / (1 + std::fabs(temperature));
}

NOINLINE static double heat_source(double x, double y, double z) {
    return x < 0.5 && y < 0.5 ? 20 * x * (1 - z) : -2 * y * z;
}

// The contribution of one quadrature point to the matrix of an element.
NOINLINE static void add_point(ElementMatrix& matrix, const Gradients& gradients,
                               const double* shape, double diffusion, double capacity) {
    for (int i = 0; i < Element::nodes; i++)
        for (int j = 0; j <= i; j++)
            matrix(i, j) +=
                diffusion * (gradients(i, 0) * gradients(j, 0) + gradients(i, 1) * gradients(j, 1) +
                             gradients(i, 2) * gradients(j, 2)) +
                capacity * shape[i] * shape[j];
}

// The matrix and right-hand side of one element; returns the heat supplied to it in a time step.
template <typename Quadrature>
NOINLINE static double integrate_element(const Mesh& mesh, const Field& temperature, int element,
                                         ElementMatrix& matrix, double* rhs) {
    double supplied = 0;
    for (int point = 0; point < Quadrature::points; point++) {
        const double at[3] = {Quadrature::coordinate(point, 0), Quadrature::coordinate(point, 1),
                              Quadrature::coordinate(point, 2)};
        SmallMatrix<3, 3> inverse;
        const double volume = invert(jacobian(mesh, element, at), inverse);
        const Gradients gradients = shape_gradients(inverse, at);
        double shape[Element::nodes], here = 0, x[3] = {};
        for (int corner = 0; corner < Element::nodes; corner++) {
            const int node = mesh.node(element, corner);
            shape[corner] = Element::shape(corner, at);
            here += shape[corner] * temperature[node];
            for (int axis = 0; axis < 3; axis++)
                x[axis] += shape[corner] * mesh.coordinate(node, axis);
        }
        const double source = heat_source(x[0], x[1], x[2]);
        add_point(matrix, gradients, shape, conductivity(here) * volume, volume / time_step);
        for (int corner = 0; corner < Element::nodes; corner++)
            rhs[corner] += shape[corner] * volume * (source + here / time_step);
        supplied += source * volume * time_step;
    }
    return supplied;
}

template <typename Value>
NOINLINE static int find_entry(const SparseMatrix<Value>& matrix, int row, int column) {
    int low = matrix.row_begin(row), high = matrix.row_end(row) - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (matrix.column(middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

NOINLINE static void add_element(const Mesh& mesh, int element, const ElementMatrix& from,
                                 const double* from_rhs, Matrix& matrix, Field& rhs) {
    for (int i = 0; i < Element::nodes; i++) {
        const int row = mesh.node(element, i);
        rhs[row] += from_rhs[i];
        for (int j = 0; j < Element::nodes; j++)
            matrix.value(find_entry(matrix, row, mesh.node(element, j))) +=
                j <= i ? from(i, j) : from(j, i);
    }
}

// Returns the heat supplied in a time step.
template <typename Quadrature, typename Value>
NOINLINE static double assemble(const Mesh& mesh, const Field& temperature,
                                SparseMatrix<Value>& matrix, Field& rhs) {
    for (int row = 0; row < matrix.rows(); row++) {
        rhs[row] = 0;
        for (int entry = matrix.row_begin(row); entry < matrix.row_end(row); entry++)
            matrix.value(entry) = 0;
    }
    double supplied = 0;
    for (int e = 0; e < mesh.element_count(); e++) {
        ElementMatrix element_matrix;
        double element_rhs[Element::nodes] = {};
        supplied +=
            integrate_element<Quadrature>(mesh, temperature, e, element_matrix, element_rhs);
        add_element(mesh, e, element_matrix, element_rhs, matrix, rhs);
    }
    return supplied;
}

template <typename Value>
NOINLINE static void multiply(const SparseMatrix<Value>& matrix, const Field& x, Field& y) {
    for (int row = 0; row < matrix.rows(); row++) {
        Value sum = 0;
        for (int entry = matrix.row_begin(row); entry < matrix.row_end(row); entry++)
            sum += matrix.value(entry) * x[matrix.column(entry)];
        y[row] = sum;
    }
}

NOINLINE static double dot(const Field& x, const Field& y) {
    double sum = 0;
    for (int i = 0; i < x.size(); i++)
        sum += x[i] * y[i];
    return sum;
}

// y = a * x + b * y
NOINLINE static void combine(double a, const Field& x, double b, Field& y) {
    for (int i = 0; i < x.size(); i++)
        y[i] = a * x[i] + b * y[i];
}

NOINLINE static void divide_by_diagonal(const Matrix& matrix, const Field& x, Field& y) {
    for (int row = 0; row < matrix.rows(); row++)
        y[row] = x[row] / matrix.value(find_entry(matrix, row, row));
}

// Conjugate gradients from an initial guess; returns the residual relative to the right-hand side.
template <typename Value>
NOINLINE static double solve(const SparseMatrix<Value>& matrix, const Field& rhs, Field& x,
                             int iterations) {
    Field residual(x.size()), scaled(x.size()), direction(x.size()), product(x.size());
    multiply(matrix, x, residual);
    combine(1, rhs, -1, residual);
    double squared = 0;
    for (int iteration = 0; iteration < iterations; iteration++) {
        divide_by_diagonal(matrix, residual, scaled);
        const double previous = squared;
        squared = dot(residual, scaled);
        combine(1, scaled, iteration ? squared / previous : 0, direction);
        multiply(matrix, direction, product);
        const double length = squared / dot(direction, product);
        combine(length, direction, 1, x);
        combine(-length, product, 1, residual);
    }
    return std::sqrt(dot(residual, residual) / dot(rhs, rhs));
}

int main(int count, char** arguments) {
    const long steps = work_steps(count, arguments, 80);
    Mesh mesh;
    make_mesh(mesh);
    const int nodes = mesh.node_count();
    Matrix matrix(nodes, (3 * side + 1) * (3 * side + 1) * (3 * side + 1));
    make_pattern(matrix);
    Field temperature(nodes), rhs(nodes), ones(nodes), product(nodes);
    double supplied = 0, residual = 0;
    for (long step = 0; step < steps; step++) {
        supplied += assemble<Rule>(mesh, temperature, matrix, rhs);
        residual = solve(matrix, rhs, temperature, 40);
    }
    // Nothing flows through the boundaries: the conduction adds up to zero, the capacity remains.
    multiply(matrix, temperature, product);
    for (int node = 0; node < nodes; node++)
        ones[node] = 1;
    std::printf("finite_elements: %ld steps with %d elements\n", steps, mesh.element_count());
    std::printf("heat stored %.9f, supplied %.9f\n", time_step * dot(ones, product), supplied);
    std::printf("norm of the temperature %.9f, relative residual %.1e\n",
                std::sqrt(dot(temperature, temperature) / nodes), residual);
    return 0;
}
