// C++: exceptions in regions and tasks, firstprivate objects with constructors, large alignment.
#include <cstdint>
#include <cstdio>
#include <stdexcept>

static int constructed, destroyed, caught, good;

[[gnu::noinline]] void add(int& counter) {
#pragma omp atomic
    counter++;
}

struct alignas(128) Aligned {
    int value = 5;
    Aligned() { add(constructed); }
    Aligned(const Aligned& other) : value(other.value + 1) { add(constructed); }
    ~Aligned() { add(destroyed); }
};

[[gnu::noinline]] void throwing(int i) {
    if (i % 2)
        throw std::runtime_error("odd");
}

[[gnu::noinline]] void exceptions() {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 10; i++) {
            try {
                throwing(i);
            } catch (const std::exception&) {
                add(caught);
            }
        }
#pragma omp critical
        {
            try {
                throwing(1);
            } catch (const std::exception&) {
                add(caught);
            }
            add(good);
        }
    }
}

[[gnu::noinline]] void use(const Aligned& object) {
    if (object.value > 5 && reinterpret_cast<std::uintptr_t>(&object) % alignof(Aligned) == 0)
        add(good);
}

[[gnu::noinline]] void objects() {
    Aligned object;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < 6; i++) {
#pragma omp task firstprivate(object)
                use(object);
            }
        }
    }
}

int main() {
    exceptions();
    objects();
    std::printf("%d %d %d\n", caught, good, constructed == destroyed);
}
