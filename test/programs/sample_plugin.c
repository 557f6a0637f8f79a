/* A library that sample_loading opens. */
static volatile double sink;
void plugin_work(void) {
    double x = 1.0;
    for (long i = 0; i < 200000; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}
