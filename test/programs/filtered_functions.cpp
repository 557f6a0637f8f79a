// Small and large functions in a namespace, from a C function; two threads that each call all.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define SEEN __attribute__((noinline))

namespace mesh {
struct Field {
    SEEN long at(long i) const { return i; }
    SEEN long at_edge(long i) const { return i + 1; }
};
template <class Container>
SEEN long element(const Container& container, long i) {
    return container[static_cast<std::size_t>(i & 1)];
}
// A template is the first to mention the vector, so gcc prints it with its allocator.
template <class T>
struct Values {
    T get(long i) const { return element(values, i); }
    std::vector<T> values = std::vector<T>(2);
};
template <class T, class U>
SEEN T mixed(T a, U b) {
    return a + static_cast<T>(b);
}
SEEN long sweep(const Field& field, long count) {
    const Values<long> values;
    long sum = 0;
    for (long i = 0; i < count; i++)
        sum += field.at(i) + field.at_edge(i) + mixed<int, long>(1, i) + values.get(i);
    return sum;
}
}  // namespace mesh

extern "C" SEEN long solve_(long count) { return mesh::sweep(mesh::Field(), count); }

int main(int arguments, char** words) {
    const long count = arguments > 1 ? std::atol(words[1]) : 1000;
    long other = 0;
    std::thread thread([&] { other = solve_(count); });
    const long own = solve_(count);
    thread.join();
    std::printf("%ld\n", own + other);
    return 0;
}
