/* Loops of all kinds. A comment in the line of each names the function that it is in. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#define KEPT __attribute__((noinline))
typedef struct node {
    struct node* next;
    double value;
} node;
volatile double sink;
KEPT double f01_sum(const double* a, long n) {
    double s = 0;
    for (long i = 0; i < n; i++)  // LOOP f01_sum
        s += a[i];
    return s;
}
KEPT void f02_add(double* a, const double* b, long n) {
    for (long i = 0; i < n; i++)  // LOOP f02_add
        a[i] += b[i];
}
KEPT void f03_triad(double* restrict a, const double* restrict b, const double* restrict c,
                    double x, long n) {
    for (long i = 0; i < n; i++) {  // LOOP f03_triad
        double t = x * c[i];
        a[i] = b[i] + t;
    }
}
KEPT double f04_while(const double* a, double x) {
    while (*a < x)  // LOOP f04_while
        a++;
    return *a;
}
KEPT long f05_do(long n) {
    long steps = 0;
    do {  // LOOP f05_do
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    } while (n != 1);
    return steps;
}
KEPT double f06_list(const node* first) {
    double s = 0;
    for (const node* at = first; at; at = at->next)  // LOOP f06_list
        s += at->value;
    return s;
}
KEPT void f07_matrix(double* a, const double* b, const double* c, int n) {
    for (int i = 0; i < n; i++)        // LOOP f07_matrix
        for (int j = 0; j < n; j++) {  // LOOP f07_matrix
            double s = 0;
            for (int k = 0; k < n; k++)  // LOOP f07_matrix
                s += b[i * n + k] * c[k * n + j];
            a[i * n + j] = s;
        }
}
KEPT int f08_break(const int* a, int n, int x) {
    for (int i = 0; i < n; i++) {  // LOOP f08_break
        if (a[i] == x)
            return i;
        if (a[i] < 0)
            break;
    }
    return -1;
}
KEPT int f09_continue(const int* a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {  // LOOP f09_continue
        if (a[i] & 1)
            continue;
        s += a[i] * a[i];
        if (a[i] & 4)
            continue;
        s ^= 77;
    }
    return s;
}
KEPT double f10_calls(const double* a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)  // LOOP f10_calls
        s += sin(a[i]);
    return s;
}
KEPT int f11_switch(const int* a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)  // LOOP f11_switch
        switch (a[i]) {
        case 0:
            s += 3;
            break;
        case 1:
            s *= 5;
            break;
        case 2:
            s -= a[i + 1];
            break;
        case 3:
            s ^= 99;
            break;
        case 4:
            s += s >> 3;
            break;
        case 5:
            sink = s;
            break;
        case 6:
            s = -s;
            break;
        default:
            s++;
        }
    return s;
}
KEPT int f12_endless(volatile int* flag) {
    int count = 0;
    for (;;) {  // LOOP f12_endless
        count++;
        if (*flag)
            return count;
    }
}
static inline double dot(const double* a, const double* b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)  // LOOP f13_inlined
        s += a[i] * b[i];
    return s;
}
KEPT double f13_inlined(const double* a, const double* b, int n) { return dot(a, b, n) + 1; }
KEPT void f14_stencil(double* restrict out, const double* restrict in, int nx, int ny) {
    for (int y = 1; y < ny - 1; y++)      // LOOP f14_stencil
        for (int x = 1; x < nx - 1; x++)  // LOOP f14_stencil
            out[y * nx + x] = 0.25 * (in[y * nx + x - 1] + in[y * nx + x + 1] +
                                      in[(y - 1) * nx + x] + in[(y + 1) * nx + x]);
}
KEPT double f15_reverse(const double* a, int n) {
    double s = 1;
    for (int i = n - 1; i >= 0; i--)  // LOOP f15_reverse
        s = s * 0.5 + a[i];
    return s;
}
KEPT size_t f16_text(const char* s) {
    size_t n = 0;
    while (s[n] && s[n] != '\n')  // LOOP f16_text
        n++;
    return n;
}
KEPT void f17_float(float* restrict a, const float* restrict b, int n) {
    for (int i = 0; i < n; ++i)  // LOOP f17_float
        a[i] = sqrtf(b[i]) / 3.0f;
}
KEPT void f18_gather(double* restrict a, const double* restrict b, const int* restrict index,
                     int n) {
    for (int i = 0; i < n; ++i)  // LOOP f18_gather
        a[i] = b[index[i]];
}
KEPT int f19_two(const int* a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)  // LOOP f19_two
        s += a[i];
    for (int i = 1; i < n; i++)  // LOOP f19_two
        s ^= a[i] * a[i - 1];
    return s;
}
KEPT int f20_if(const int* a, int n, int mode) {
    int s = 0;
    for (int i = 0; i < n; i++) {  // LOOP f20_if
        if (mode)
            s += a[i];
        else
            s -= a[i] >> 1;
    }
    return s;
}
KEPT void f21_sort(int* a, int n) {
    for (int i = 1; i < n; i++) {  // LOOP f21_sort
        int x = a[i], j = i;
        while (j > 0 && a[j - 1] > x) {  // LOOP f21_sort
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}
KEPT int f22_gcd(int a, int b) {
    while (b) {  // LOOP f22_gcd
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}
KEPT double f23_newton(double x) {
    double y = x;
    for (int i = 0; i < 100 && fabs(y * y - x) > 1e-12; i++)  // LOOP f23_newton
        y = 0.5 * (y + x / y);
    return y;
}
KEPT int f24_bits(unsigned long x) {
    int n = 0;
    for (; x; x &= x - 1)  // LOOP f24_bits
        n++;
    return n;
}
KEPT void f25_step(double* a, int n, int step) {
    for (int i = 0; i < n; i += step)  // LOOP f25_step
        a[i] = 1.0 / (1.0 + a[i]);
}
KEPT long f26_triangle(int n) {
    long s = 0;
    for (int i = 0; i < n; i++)      // LOOP f26_triangle
        for (int j = i; j < n; j++)  // LOOP f26_triangle
            if (((i * j) ^ s) & 1)
                s += i ^ j;
    return s;
}
KEPT double f27_multiline(const double* a, int n) {
    double s = 0;
    for (int i = 0;  // LOOP f27_multiline
         i < n; i++) {
        double t = a[i];
        s += t * t;
        s -= t;
    }
    return s;
}
KEPT unsigned f28_hash(const unsigned char* text, int n) {
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++) {  // LOOP f28_hash
        h ^= text[i];
        h *= 16777619u;
    }
    return h;
}
KEPT int f29_goto(const int* a, int n) {
    int i = 0, s = 0;
    while (1) {  // LOOP f29_goto
        if (i == n)
            goto end;
        s += a[i] * 3;
        i++;
    }
end:
    return s;
}
KEPT double f30_openmp(const double* a, int n) {
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)  // LOOP f30_openmp
        s += a[i] * a[i];
    return s;
}
int main(void) { return 0; }
