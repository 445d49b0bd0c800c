/* A sound module that keeps every promise, and logs a word of its own for each message: so nearly
 * each session shows a campaign something new, as in a module with very many lines. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says a word that stands in no message, made from a hash. */
static void word(const char *text)
{
    unsigned long hash = 14695981039346656037UL;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char) *text) * 1099511628211UL;
    printf("log_info=Xq");
    for (int letter = 0; letter < 12; letter++, hash >>= 4)
        putchar((letter % 2 ? 'a' : 'A') + (int) (hash & 15));
    putchar('\n');
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) > 1)
        ;
    printf("talkative 1.0.0 v1 line_based action_policy\n\n");
    fflush(stdout);
    char *operation = strdup(""), *message = strdup("");
    while ((length = getline(&line, &room, stdin)) > 0) {
        line[length - 1] = '\0';
        if (strncmp(line, "operation=", 10) == 0) {
            free(operation);
            operation = strdup(line + 10);
        } else if (strncmp(line, "attribute_message=", 18) == 0) {
            free(message);
            message = strdup(line + 18);
        }
        if (length > 1) {
            /* Attributes and the promiser are copied into the answer. */
            if (strncmp(line, "attribute_", 10) == 0 || strncmp(line, "promiser=", 9) == 0)
                printf("%s\n", line);
            continue;
        }
        const char *result = "success";
        if (strcmp(operation, "validate_promise") == 0)
            result = "valid";
        if (strcmp(operation, "evaluate_promise") == 0) {
            result = "kept";
            word(message);
        }
        printf("operation=%s\nresult=%s\n\n", operation, result);
        fflush(stdout);
        if (strcmp(operation, "terminate") == 0)
            return 0;
    }
    return 0;
}
