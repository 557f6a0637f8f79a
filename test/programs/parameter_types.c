/* VFTRACE_PARAMETER of a variable of each arithmetic type. Compiled as C and, by way of
   parameter_types.cpp, as C++; with AS_OTHER_COMPILERS as with a compiler without extensions. */
#include <stdio.h>
#ifdef AS_OTHER_COMPILERS
#undef __GNUC__
#endif
#include <vftrace.h>
#ifdef __cplusplus
#define _Bool bool
#endif

struct grid {
    int nx;
};

int main(void) {
    char plain_char = -1;
    signed char signed_char = -2;
    unsigned char unsigned_char = 253;
    short short_int = -4;
    unsigned short unsigned_short = 65531;
    int int_int = -6;
    unsigned unsigned_int = 4294967289u;
    long long_int = -8;
    unsigned long unsigned_long = 18446744073709551615ul;
    float single = 0.5f;
    double twice = -1e-300;
    long double longer = 0.125;
    _Bool boolean = 1;
    const int constant = 12;
    volatile unsigned changing = 13;
    static double array[3] = {1, 2, 3};
    struct grid grid = {14};
    VFTRACE_PARAMETER(plain_char);
    VFTRACE_PARAMETER(signed_char);
    VFTRACE_PARAMETER(unsigned_char);
    VFTRACE_PARAMETER(short_int);
    VFTRACE_PARAMETER(unsigned_short);
    VFTRACE_PARAMETER(int_int);
    VFTRACE_PARAMETER(unsigned_int);
    VFTRACE_PARAMETER(long_int);
    VFTRACE_PARAMETER(unsigned_long);
    VFTRACE_PARAMETER(single);
    VFTRACE_PARAMETER(twice);
    VFTRACE_PARAMETER(longer);
    VFTRACE_PARAMETER(boolean);
    VFTRACE_PARAMETER(constant);
    VFTRACE_PARAMETER(changing);
    VFTRACE_PARAMETER(array[1]);
    VFTRACE_PARAMETER(grid.nx);
    return 0;
}
