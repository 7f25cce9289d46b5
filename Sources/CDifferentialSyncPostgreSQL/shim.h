// The system's libpq, and what Swift cannot import of the system in the same way on every platform.
#include <libpq-fe.h>
#ifndef LIBPQ_HAS_PIPELINING
#error "libpq 14 or later is needed: install a newer libpq-dev"
#endif
#include <poll.h>
#include <unistd.h>

// Waits until a socket can be read, at most for some milliseconds; for -1, without a limit.
static inline int differential_sync_postgresql_wait(int socket, int milliseconds) {
    struct pollfd entry = {socket, POLLIN, 0};
    return poll(&entry, 1, milliseconds);
}

// Makes another descriptor of a socket, which is closed separately; -1 if that is not possible.
static inline int differential_sync_postgresql_duplicate(int socket) { return dup(socket); }

// Closes a descriptor.
static inline void differential_sync_postgresql_close(int descriptor) { close(descriptor); }

// Ignores a notice, which libpq would print.
static inline void differential_sync_postgresql_ignore(void *argument, const PGresult *result) {}

// Makes a connection ignore notices.
static inline void differential_sync_postgresql_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, differential_sync_postgresql_ignore, (void *)0);
}
