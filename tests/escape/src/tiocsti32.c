/* Types TEXT into standard input's terminal through the 32-bit system call entry.
 *
 * tiocsti32 TEXT
 */
#include <stdio.h>
#include <sys/mman.h>

enum { NR32_IOCTL = 54, TIOCSTI = 0x5412 };

static int ioctl32(int fd, unsigned request, void *argument)
{
    int result;
    __asm__ volatile("int $0x80" : "=a"(result)
                     : "a"(NR32_IOCTL), "b"(fd), "c"(request), "d"((unsigned)(unsigned long)argument)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}

int main(int argc, char **argv)
{
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    int result = 0;
    for (char *at = argc > 1 ? argv[1] : ""; *at && result == 0; at++) {
        *low = *at;
        result = ioctl32(0, TIOCSTI, low);
    }
    printf("result %d\n", result);
    return result ? 1 : 0;
}
