// A library with a parallel region, which a program without OpenMP opens privately.
__attribute__((noinline)) int leaf(int i) { return i; }

int region(void) {
    int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(dynamic)
    for (int i = 0; i < 10; i++)
        sum += leaf(i);
    return sum;
}
