// What the C library allocates and frees for itself and for its callers.
// EXPECT none
#include <dirent.h>
#include <locale.h>
#include <netdb.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "order.h"
static void first(void) {
  for (int i = 0; i < 20; ++i) {
    FILE* file = tmpfile();
    MUST(file != NULL);
    for (int j = 0; j < 1000; ++j) fprintf(file, "line %d of the file\n", j);
    rewind(file);
    char* line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) USE(line[0]);
    free(line);
    fclose(file);
    char* text = NULL;
    MUST(asprintf(&text, "%s and %d", "text", i) > 0);
    char* copy = strdup(text);
    USE(strlen(copy));
    free(text);
    free(copy);
    char* memory = NULL;
    size_t bytes = 0;
    FILE* stream = open_memstream(&memory, &bytes);
    for (int j = 0; j < 2000; ++j) fputs("something ", stream);
    fflush(stream);
    USE(memory[100]);
    fclose(stream);
    USE(memory[bytes - 1]);
    free(memory);
    DIR* folder = opendir("/");
    for (struct dirent* entry; (entry = readdir(folder)) != NULL;) USE(entry->d_name[0]);
    closedir(folder);
    regex_t expression;
    MUST(regcomp(&expression, "a+b*(c|d)", REG_EXTENDED) == 0);
    regexec(&expression, "xaabbd", 0, NULL, 0);
    regfree(&expression);
    struct addrinfo* addresses = NULL;
    if (getaddrinfo("127.0.0.1", "80", NULL, &addresses) == 0) {
      USE(addresses->ai_family);
      freeaddrinfo(addresses);
    }
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (locale != (locale_t)0) freelocale(locale);
  }
}
int main(void) {
  first();
  RUN(first, first);
  first();
}
