/* LIKWID itself, without likwid-perfctr: its markers do nothing then, and are regions all the same.
 */
#define LIKWID_PERFMON
#include <likwid-marker.h>
#include <stdio.h>

static volatile double sum;

int main(void) {
    LIKWID_MARKER_INIT;
    LIKWID_MARKER_THREADINIT;
    LIKWID_MARKER_REGISTER("solve");
    for (int i = 0; i < 5; i++) {
        LIKWID_MARKER_START("solve");
        for (int j = 0; j < 2; j++) {
            LIKWID_MARKER_START("inner");
            for (int k = 1; k < 100000; k++)
                sum += 1.0 / k;
            LIKWID_MARKER_STOP("inner");
        }
        LIKWID_MARKER_STOP("solve");
    }
    LIKWID_MARKER_CLOSE;
    puts("done");
    return 3;
}
