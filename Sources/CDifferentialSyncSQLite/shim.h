// The system's SQLite, and what Swift cannot import of it.
#include <sqlite3.h>

// A macro with a cast: SQLite copies the bound bytes before the call returns.
static inline sqlite3_destructor_type differential_sync_sqlite_transient(void) { return SQLITE_TRANSIENT; }
