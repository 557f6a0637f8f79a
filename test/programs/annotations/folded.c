/* Names that are made for each call, and one place that is annotated for two tools. */
#include <stdio.h>

#define WEAK __attribute__((weak))
int GPTLstart(const char*) WEAK;
int GPTLstop(const char*) WEAK;
void cali_begin_region(const char*) WEAK;
void cali_end_region(const char*) WEAK;
int likwid_markerStartRegion(const char*) WEAK;
int likwid_markerStopRegion(const char*) WEAK;

static volatile double sum;
__attribute__((noinline)) void work(void) {
    for (int i = 1; i < 20000; i++)
        sum += 1.0 / i;
}

int main(void) {
    if (GPTLstart) {
        for (int i = 1; i <= 1000; i++) {
            char name[32];
            snprintf(name, sizeof name, "iter %d", i);
            GPTLstart(name);
            work();
            GPTLstop(name);
        }
        for (int i = 0; i < 5; i++) {
            GPTLstart("solve");
            cali_begin_region("solve");
            work();
            cali_end_region("solve");
            GPTLstop("solve");
        }
        cali_begin_region("half");
        GPTLstart("half");
        cali_end_region("half");
        work();
        GPTLstop("half");
        /* LIKWID's need not nest: each has its own time. */
        likwid_markerStartRegion("a");
        work();
        likwid_markerStartRegion("b");
        work();
        likwid_markerStopRegion("a");
        work();
        likwid_markerStopRegion("b");
        /* GPTL's do: the end of the outer one ends the inner one. */
        GPTLstart("outer");
        GPTLstart("inner");
        work();
        GPTLstop("outer");
        work();
        GPTLstop("inner");
    }
    printf("done\n");
    return 3;
}
