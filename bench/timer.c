/* timer ROUNDS NAME COMMAND [NAME COMMAND]...: runs the commands in turn, A B A B, so that whatever else the
   machine does hits all alike, and prints medians and ratios to the first. COMMAND is one shell-quoted word;
   it is split at blanks. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
enum { MAX_WORDS = 4096, WARM_UP = 5 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double once(char **argv, int *failed)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    double begun = now_ms();
    pid_t pid;
    int status = 1;
    if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0)
        waitpid(pid, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    *failed += status != 0;
    return now_ms() - begun;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 0, commands = (argc - 2) / 2;
    if (rounds < 1 || commands < 1 || argc % 2 != 0) {
        fprintf(stderr, "usage: timer ROUNDS NAME COMMAND [NAME COMMAND]...\n");
        return 2;
    }
    char *(*words)[MAX_WORDS] = calloc((size_t)commands, sizeof *words);
    double **times = calloc((size_t)commands, sizeof *times);
    int *failed = calloc((size_t)commands, sizeof *failed);
    for (int i = 0; i < commands; i++) {
        int n = 0;
        for (char *word = strtok(argv[3 + 2 * i], " "); word && n < MAX_WORDS - 1; word = strtok(NULL, " "))
            words[i][n++] = word;
        times[i] = calloc((size_t)rounds, sizeof **times);
    }
    for (int round = -WARM_UP; round < rounds; round++)
        for (int i = 0; i < commands; i++) {
            double took = once(words[i], &failed[i]);
            if (round >= 0)
                times[i][round] = took;
        }
    double base = 1;
    for (int i = 0; i < commands; i++) {
        qsort(times[i], (size_t)rounds, sizeof **times, ascending);
        double median = times[i][rounds / 2];
        base = i == 0 ? median : base;
        printf("%-28s median %7.2f ms  p10 %7.2f ms  ratio %5.2f%s\n", argv[2 + 2 * i], median, times[i][rounds / 10],
               median / base, failed[i] ? "  FAILED" : "");
    }
    return 0;
}
