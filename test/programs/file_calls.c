/* Calls with files of each kind, by functions whose figures are known; run in an empty folder. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int holds, const char* what) {
    if (!holds) {
        printf("failed: %s, errno %d\n", what, errno);
        exit(1);
    }
}

/* 80,000 bytes in records of 8 */
static void write_records(void) {
    FILE* file = fopen("records", "w");
    for (int i = 0; i < 10000; i++)
        fwrite("1234567\n", 8, 1, file);
    fclose(file);
}

/* 3,000 characters, 13 by formats, 6 by fputs */
static void write_text(void) {
    FILE* file = fopen("text", "w");
    for (int i = 0; i < 3000; i++)
        fputc(i % 60 == 59 ? '\n' : 'x', file);
    fprintf(file, "%d %.2f\n", 42, 2.5);
    fprintf(file, "%s\n", "word");
    fputs("lines\n", file);
    fflush(file);
    fclose(file);
}

/* 80,000 bytes */
static void read_records(void) {
    char record[8];
    FILE* file = fopen("records", "r");
    int records = 0;
    while (fread(record, 8, 1, file) == 1)
        records++;
    fclose(file);
    check(records == 10000, "fread");
}

/* 3,019 bytes, of which 60 by fgets, 61 by getline */
static void read_text(void) {
    char line[100], *other = NULL;
    size_t room = 0;
    int characters = 0;
    FILE* file = fopen("text", "r");
    check(fgets(line, sizeof line, file) != NULL, "fgets");
    check(getline(&other, &room, file) == 60, "getline");
    while (fgetc(file) != EOF)
        characters++;
    check(characters == 3019 - 120, "fgetc");
    rewind(file);
    check(fscanf(file, "%99s", line) == 1, "fscanf"); /* 59 more, 1 of which is put back */
    free(other);
    fclose(file);
}

/* 10 * 1000 bytes one after the other, 5 * 100 at places, 300 by vectors; read: the same */
static void use_descriptor(void) {
    char bytes[1000];
    memset(bytes, 'd', sizeof bytes);
    const int file = open("blocks", O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(file >= 0, "open");
    for (int i = 0; i < 10; i++)
        check(write(file, bytes, sizeof bytes) == sizeof bytes, "write");
    for (int i = 0; i < 5; i++)
        check(pwrite(file, bytes, 100, 1000 * (9 - 2 * i)) == 100, "pwrite");
    struct iovec parts[2] = {{bytes, 100}, {bytes, 200}};
    check(writev(file, parts, 2) == 300, "writev");
    check(lseek(file, 0, SEEK_SET) == 0, "lseek");
    size_t size = sizeof bytes;
    for (int i = 0; i < 10; i++)
        check(read(file, bytes, size) == 1000, "read");
    for (int i = 0; i < 5; i++)
        check(pread(file, bytes, size / 10, 1000 * i) == 100, "pread");
    check(readv(file, parts, 2) == 300, "readv");
    check(fsync(file) == 0 && ftruncate(file, 5000) == 0, "fsync");
    check(close(file) == 0, "close");
}

/* 5,000 bytes read and written by sendfile, the same by copy_file_range */
static void copy(void) {
    const int from = open("blocks", O_RDONLY), to = open("copy", O_WRONLY | O_CREAT, 0600);
    check(sendfile(to, from, NULL, 1 << 20) == 5000, "sendfile");
    off_t begin = 0;
    check(copy_file_range(from, &begin, to, NULL, 1 << 20, 0) == 5000, "copy_file_range");
    close(from);
    close(to);
}

/* What fails does so as without a profiler. */
static void fail(void) {
    struct stat status;
    check(open("missing/file", O_RDONLY) == -1 && errno == ENOENT, "open that fails");
    check(fopen("missing/file", "r") == NULL && errno == ENOENT, "fopen that fails");
    check(stat("missing/file", &status) == -1 && errno == ENOENT, "stat that fails");
    check(close(777) == -1 && errno == EBADF, "close that fails");
    char* nowhere = (char*)(size_t)16;
    check(read(0, nowhere, 10) <= 0, "read into nowhere");
    check(open(nowhere, O_RDONLY) == -1 && errno == EFAULT, "open of nowhere");
    check(write(777, "x", 1) == -1 && errno == EBADF, "write that fails");
}

/* Descriptors that become other files: 10 bytes each */
static void redirect(void) {
    const int first = open("first", O_WRONLY | O_CREAT, 0600);
    const int second = open("second", O_WRONLY | O_CREAT, 0600);
    check(write(first, "0123456789", 10) == 10, "write");
    check(dup2(second, first) == first, "dup2");
    check(write(first, "0123456789", 10) == 10, "write");
    close(second);
    close(first);
}

static void names(void) {
    struct stat status;
    check(mkdir("folder", 0700) == 0, "mkdir");
    check(stat("folder", &status) == 0 && S_ISDIR(status.st_mode), "stat");
    DIR* folder = opendir("folder");
    int entries = 0;
    while (readdir(folder))
        entries++;
    check(entries == 2 && closedir(folder) == 0, "readdir");
    check(rename("copy", "folder/copy") == 0 && unlink("folder/copy") == 0, "rename");
    check(rmdir("folder") == 0, "rmdir");
}

/* A thread that is cancelled while it waits in read(). */
static void* wait_for_bytes(void* pipe_end) {
    char byte;
    return read(*(int*)pipe_end, &byte, 1) == 1 ? pipe_end : NULL;
}
static void cancel(void) {
    int ends[2];
    void* result;
    pthread_t thread;
    check(pipe(ends) == 0, "pipe");
    check(pthread_create(&thread, NULL, wait_for_bytes, ends) == 0, "pthread_create");
    usleep(20000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    check(result == PTHREAD_CANCELED, "pthread_cancel");
    close(ends[0]);
    close(ends[1]);
}

/* 7 bytes in a handler, 9 in a child */
static volatile int handled;
static void handler(int number) {
    (void)number;
    const int saved = errno;
    handled += write(handled, "handler", 7) == 7;
    errno = saved;
}
static void signals_and_children(void) {
    const int file = open("handler", O_WRONLY | O_CREAT, 0600);
    handled = file;
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    check(handled == file + 1, "write in a handler");
    close(file);
    const pid_t child = fork();
    if (child == 0) {
        FILE* own = fopen("child", "w");
        fputs("nine byte", own);
        fclose(own);
        _exit(0);
    }
    int status;
    check(waitpid(child, &status, 0) == child && status == 0, "fork");
}

int main(void) {
    write_records();
    write_text();
    read_records();
    read_text();
    use_descriptor();
    copy();
    fail();
    redirect();
    names();
    cancel();
    signals_and_children();
    printf("%s %.3f %d\n", "done", 1.25, 7);
    return 0;
}
