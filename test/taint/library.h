/* A library that the program `libraries` uses. */
#ifdef __cplusplus
extern "C" {
#endif
void library_loop(int n);
void library_calls_back(void (*function)(int), int n);
int opaque_square(int n); /* from code that is not analysed */
void opaque_calls_back(void (*function)(int), int n);
#ifdef __cplusplus
}
#endif
