// The system's SQLite, and what Swift cannot import of it.
#include <sqlite3.h>

// A macro with a cast: SQLite copies the bound bytes before the call returns.
static inline sqlite3_destructor_type differential_sync_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// A function with variable arguments: switches an option of a connection on or off.
static inline int differential_sync_sqlite_configure(sqlite3 *connection, int option, int isOn) {
    return sqlite3_db_config(connection, option, isOn, (int *)0);
}

// Whether two ranges of bytes are the same; here because Swift has it only in a module that every platform names
// differently.
static inline int differential_sync_sqlite_equal(const void *left, const void *right, unsigned long count) {
    return __builtin_memcmp(left, right, count) == 0;
}

#include <sys/stat.h>

// Which file a path leads to; 0 if there is none. Foundation would make a dictionary of all that is known of it.
static inline int differential_sync_sqlite_file(const char *path, unsigned long long *device, unsigned long long *number) {
    struct stat status;
    if (stat(path, &status) != 0) return 0;
    *device = (unsigned long long)status.st_dev;
    *number = (unsigned long long)status.st_ino;
    return 1;
}
