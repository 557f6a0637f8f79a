/* Files and descriptors as programs rarely have them; run in an empty folder. With an argument it
 * waits at the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int holds, const char* what) {
    if (!holds) {
        printf("failed: %s, errno %d\n", what, errno);
        exit(1);
    }
}

/* 3,000 files of 3 bytes */
static void many_files(void) {
    check(mkdir("many", 0700) == 0, "mkdir");
    for (int i = 0; i < 3000; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/%d", i);
        const int file = open(name, O_WRONLY | O_CREAT, 0600);
        check(write(file, "abc", 3) == 3 && close(file) == 0, "write");
    }
}

/* 5 bytes, in a file that another process would have opened */
static void passed(void) {
    int ends[2];
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    const int file = open("passed", O_WRONLY | O_CREAT, 0600);
    char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
    check(sendmsg(ends[0], &message, 0) == 1, "sendmsg");
    close(file);
    check(recvmsg(ends[1], &message, 0) == 1, "recvmsg");
    int received;
    memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof received);
    check(write(received, "12345", 5) == 5, "write");
    close(received);
    close(ends[0]);
    close(ends[1]);
}

/* 4 bytes each in a file without a name, in memory, and in one whose name is not valid text */
static void names(void) {
    const int gone = open("gone", O_WRONLY | O_CREAT, 0600);
    check(unlink("gone") == 0 && write(gone, "gone", 4) == 4, "write");
    close(gone);
    const int memory = memfd_create("memory", 0);
    check(write(memory, "none", 4) == 4, "write");
    close(memory);
    const int odd = open("odd\xff\xfe\n<b>", O_WRONLY | O_CREAT, 0600);
    check(write(odd, "oddd", 4) == 4, "write");
    close(odd);
}

/* A child of vfork() works in the memory of its parent, and closes what the parent keeps. */
static void with_vfork(void) {
    const int file = open("kept", O_WRONLY | O_CREAT, 0600);
    check(write(file, "1234", 4) == 4, "write");
    const pid_t child = vfork();
    if (child == 0) {
        close(file);
        execlp("true", "true", (char*)NULL);
        _exit(1);
    }
    int status;
    check(waitpid(child, &status, 0) == child && status == 0, "vfork");
    check(write(file, "5678", 4) == 4, "write");
    close(file);
}

/* Threads that open, write and close at once get each other's descriptors: 8 * 500 * 2 bytes */
static void* write_own(void* number) {
    char name[32];
    snprintf(name, sizeof name, "thread%d", *(int*)number);
    for (int i = 0; i < 500; i++) {
        const int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
        check(write(file, "ab", 2) == 2 && close(file) == 0, "write");
    }
    return NULL;
}
static void threads(void) {
    pthread_t thread[8];
    int number[8];
    for (int i = 0; i < 8; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, write_own, &number[i]);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char** argv) {
    (void)argv;
    many_files();
    passed();
    names();
    with_vfork();
    threads();
    puts("done");
    fflush(stdout);
    if (argc > 1)
        pause();
    return 0;
}
