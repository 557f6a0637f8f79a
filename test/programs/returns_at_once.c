/* Does nothing: what remains is the start and the end of the library. */
int main(void) { return 0; }
