/* Tells Stickler which branches a native program takes and what it compares.
 *
 * Compile it into the program. With GCC 12 or later, or with Clang 13 or later:
 *
 *     cc -g -O1 -fno-builtin -fsanitize-coverage=trace-pc,trace-cmp module.c stickler-coverage.c
 *
 * Other compilers can use it too if they call the functions of Clang's SanitizerCoverage. Without
 * Stickler, the program behaves as usual.
 */

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__clang__)
#define QUIET __attribute__((no_sanitize("coverage")))
#else
#define QUIET __attribute__((no_sanitize_coverage))
#endif

enum { EDGES = 1 << 16, SLOTS = 1 << 10, LONGEST = 31 };

struct comparison {
    uint8_t sizes[2];
    uint8_t sides[2][LONGEST];
};

struct area {
    uint8_t edges[EDGES];
    struct comparison comparisons[SLOTS];
};

/* Where the linker puts what the program does not make up while it runs, if it says so. */
extern const char __executable_start[] __attribute__((weak)), edata[] __attribute__((weak));

static struct area *area;
static __thread uint32_t before;

QUIET __attribute__((constructor)) static void begin(void) {
    const char *path = getenv("STICKLER_COVERAGE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *shared = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED)
        area = shared;
}

/* The place of an instruction, the same in each process. */
QUIET static uint32_t place(const void *instruction) {
    return (uint32_t)((const char *)instruction - (const char *)&area) * 2654435761u >> 8;
}

QUIET static void reached(uint32_t at) {
    if (area) {
        at &= EDGES - 1;
        uint8_t *count = &area->edges[at ^ before];
        *count += *count < UINT8_MAX;
        before = at >> 1;
    }
}

QUIET void __sanitizer_cov_trace_pc(void) { reached(place(__builtin_return_address(0))); }

QUIET void __sanitizer_cov_trace_pc_guard(uint32_t *guard) { reached(*guard * 40503u); }

QUIET void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    static uint32_t count;
    if (start != stop && !*start)
        while (start < stop)
            *start++ = ++count;
}

QUIET static void compared(const void *where, const void *a, size_t m, const void *b, size_t n) {
    if (!area || !m || !n || m > LONGEST || n > LONGEST)
        return;
    struct comparison *slot = &area->comparisons[place(where) % SLOTS];
    const uint8_t *sides[2] = {a, b};
    size_t sizes[2] = {m, n};
    for (int side = 0; side < 2; side++) {
        for (size_t at = 0; at < sizes[side]; at++)
            slot->sides[side][at] = sides[side][at];
        slot->sizes[side] = (uint8_t)sizes[side];
    }
}

/* A text of the program's own that something is compared with tells the program's state: which of
 * several it waits for. */
QUIET static void awaited(const void *where, const char *a, const char *b, size_t most) {
    int own = a >= __executable_start && a < edata;
    if (!area || own == (b >= __executable_start && b < edata))
        return;
    uint32_t hash = place(where);
    const char *text = own ? a : b;
    for (size_t at = 0; at < most && at < LONGEST && text[at]; at++)
        hash = (hash ^ (unsigned char)text[at]) * 16777619u;
    area->edges[hash >> 8 & (EDGES - 1)] = 1;
}

#define NUMBERS(name, type)                                                                        \
    QUIET void name(type a, type b) {                                                              \
        if (a != b)                                                                                \
            compared(__builtin_return_address(0), &a, sizeof a, &b, sizeof b);                     \
    }
NUMBERS(__sanitizer_cov_trace_cmp1, uint8_t)
NUMBERS(__sanitizer_cov_trace_cmp2, uint16_t)
NUMBERS(__sanitizer_cov_trace_cmp4, uint32_t)
NUMBERS(__sanitizer_cov_trace_cmp8, uint64_t)
NUMBERS(__sanitizer_cov_trace_const_cmp1, uint8_t)
NUMBERS(__sanitizer_cov_trace_const_cmp2, uint16_t)
NUMBERS(__sanitizer_cov_trace_const_cmp4, uint32_t)
NUMBERS(__sanitizer_cov_trace_const_cmp8, uint64_t)
QUIET void __sanitizer_cov_trace_cmpf(float a, float b) { (void)a, (void)b; }
QUIET void __sanitizer_cov_trace_cmpd(double a, double b) { (void)a, (void)b; }

QUIET void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases) {
    char *where = __builtin_return_address(0);
    if (cases[1] > 8)
        for (uint64_t at = 0; at < cases[0] && at < 16; at++)
            if (cases[2 + at] != value)
                compared(where + at, &value, sizeof value, &cases[2 + at], sizeof value);
}

/* The program's own calls of these come here instead of to the C library. */

QUIET static size_t length(const char *text, size_t most) {
    size_t at = 0;
    while (at < most && text[at])
        at++;
    return at;
}

QUIET static int lower(int byte) { return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte; }

QUIET static int differ(const void *where, const char *a, const char *b, size_t most, int fold) {
    awaited(where, a, b, most);
    for (size_t at = 0; at < most; at++) {
        int one = (unsigned char)a[at], two = (unsigned char)b[at];
        if (fold)
            one = lower(one), two = lower(two);
        if (one != two) {
            compared(where, a, length(a, most), b, length(b, most));
            return one - two;
        }
        if (!one)
            return 0;
    }
    return 0;
}

QUIET int strcmp(const char *a, const char *b) {
    return differ(__builtin_return_address(0), a, b, SIZE_MAX, 0);
}

QUIET int strncmp(const char *a, const char *b, size_t most) {
    return differ(__builtin_return_address(0), a, b, most, 0);
}

QUIET int strcasecmp(const char *a, const char *b) {
    return differ(__builtin_return_address(0), a, b, SIZE_MAX, 1);
}

QUIET int strncasecmp(const char *a, const char *b, size_t most) {
    return differ(__builtin_return_address(0), a, b, most, 1);
}

QUIET int memcmp(const void *a, const void *b, size_t size) {
    const uint8_t *one = a, *two = b;
    awaited(__builtin_return_address(0), a, b, size);
    for (size_t at = 0; at < size; at++)
        if (one[at] != two[at]) {
            compared(__builtin_return_address(0), a, size, b, size);
            return one[at] - two[at];
        }
    return 0;
}
