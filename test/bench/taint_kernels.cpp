// Typical kernels of analysed programs: a product of matrices, a stencil, particles, a tree.
// `taint_kernels NAME SIZE` runs one of them, and prints its result and its peak memory in KiB.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

extern "C" [[gnu::weak]] void vftrace_parameter(const void* variable, std::size_t size,
                                                const char* name);

namespace {

unsigned state = 1;

double random_number() {
    state = state * 1103515245 + 12345;
    return (state >> 8) % 1000;
}

void multiply(const double* a, const double* b, double* c, int n) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

double matmul(int n) {
    const std::vector<double> a(n * n, 1.0);
    const std::vector<double> b(n * n, 2.0);
    std::vector<double> c(n * n);
    multiply(a.data(), b.data(), c.data(), n);
    return c[n + 1];
}

double stencil(int n) {
    std::vector<double> now(n * n, 1.0);
    std::vector<double> next(n * n, 1.0);
    now[n * n / 2] = 100;
    for (int step = 0; step < 50; ++step) {
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j)
                next[i * n + j] = 0.25 * (now[(i - 1) * n + j] + now[(i + 1) * n + j] +
                                          now[i * n + j - 1] + now[i * n + j + 1]);
        std::swap(now, next);
    }
    return now[n * n / 2 + 3];
}

struct Particle {
    double x, y, z;
    double force_x = 0, force_y = 0, force_z = 0;
};

void add_force(Particle& a, const Particle& b, double cutoff) {
    const double x = a.x - b.x;
    const double y = a.y - b.y;
    const double z = a.z - b.z;
    const double square = x * x + y * y + z * z;
    if (square > cutoff || square == 0)
        return;
    const double weight = 1 / (square * std::sqrt(square));
    a.force_x += weight * x;
    a.force_y += weight * y;
    a.force_z += weight * z;
}

double particles(int n) {
    std::vector<Particle> all;
    for (int i = 0; i < n; ++i)
        all.push_back({random_number(), random_number(), random_number()});
    for (Particle& a : all)
        for (const Particle& b : all)
            add_force(a, b, 40000);
    return all[0].force_x;
}

struct Node {
    double key;
    double mass = 1;
    double centre[2] = {};
    std::unique_ptr<Node> left, right;
};

double sum(const Node* node) {
    return node ? node->key * node->mass + sum(node->left.get()) + sum(node->right.get()) : 0;
}

double tree(int n) {
    std::unique_ptr<Node> root;
    for (int i = 0; i < n; ++i) {
        const double key = random_number() * 1000 + random_number();
        std::unique_ptr<Node>* place = &root;
        while (*place)
            place = key < (*place)->key ? &(*place)->left : &(*place)->right;
        *place = std::make_unique<Node>();
        (*place)->key = key;
    }
    double result = 0;
    for (int i = 0; i < 20; ++i)
        result += sum(root.get());
    return result;
}

// getrusage() would count what the process was before it became this program.
long memory() {
    long kilobytes = 0;
    char line[256];
    std::FILE* file = std::fopen("/proc/self/status", "r");
    while (file && std::fgets(line, sizeof line, file))
        if (std::strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = std::atol(line + 6);
    return kilobytes;
}

constexpr struct {
    const char* name;
    double (*run)(int);
} kernels[] = {{"matmul", matmul}, {"stencil", stencil}, {"particles", particles}, {"tree", tree}};

}  // namespace

int main(int, char** argv) {
    int n = std::atoi(argv[2]);
    if (vftrace_parameter)
        vftrace_parameter(&n, sizeof n, "n");
    for (const auto& kernel : kernels)
        if (std::strcmp(kernel.name, argv[1]) == 0)
            std::printf("%g\n", kernel.run(n));
    std::printf("%ld\n", memory());
    return 0;
}
