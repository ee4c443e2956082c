/* A SQLite VFS around the usual one, whose n-th operation on some files fails, and which can write a
   trace of all that reaches the disk. Built and loaded by disk.py; for tests alone. */
#include <sqlite3.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OPEN = 1, READ = 2, WRITE = 4, SYNC = 8, TRUNCATE = 16, LOCK = 32, DELETE = 64, SIZE = 128, ZERO = 256 };
enum { EIO_ = 0, FULL = 1, SHORT = 2, KILL = 3 };

typedef struct {
    sqlite3_file base;
    int id; /* of its name, in the trace; -1 outside the folder that is watched */
    sqlite3_file* real;
} File;

static sqlite3_vfs* usual;
static sqlite3_vfs ours;
static sqlite3_io_methods methods;
static char folder[4096];
static int kinds, how, forever;
static long counted, fail_at, fired;
static FILE* trace;
static char names[64][512];
static int known;
static sqlite3_mutex* guard;

/* ---- control, by ctypes */

void faults_watch(const char* path) {
    snprintf(folder, sizeof folder, "%s", path);
    known = 0;
}
void faults_arm(int which, long nth, int mode, int on) {
    kinds = which, fail_at = nth, how = mode, forever = on, counted = fired = 0;
}
long faults_counted(void) { return counted; }
long faults_fired(void) { return fired; }
int faults_trace(const char* path) {
    if (trace) fclose(trace);
    trace = path ? fopen(path, "wb") : NULL;
    return path == NULL || trace != NULL;
}
static void record(char op, int id, sqlite3_int64 at, int size, const void* data) {
    if (!trace || id < 0) return;
    sqlite3_mutex_enter(guard);
    fputc(op, trace);
    fwrite(&id, sizeof id, 1, trace);
    fwrite(&at, sizeof at, 1, trace);
    fwrite(&size, sizeof size, 1, trace);
    if (size > 0 && data) fwrite(data, 1, (size_t)size, trace);
    sqlite3_mutex_leave(guard);
}
void faults_mark(int number) {
    if (trace) record('M', 0, number, 0, NULL), fflush(trace);
}
const char* faults_name(int id) { return id >= 0 && id < known ? names[id] : NULL; }

/* ---- what fails */

static int fails(int id, int kind) {
    if (id < 0 || !(kinds & kind)) return 0;
    sqlite3_mutex_enter(guard);
    long nth = ++counted;
    int now = fail_at > 0 && (nth == fail_at || (forever && nth > fail_at));
    fired += now;
    sqlite3_mutex_leave(guard);
    if (now && how == KILL && kind != WRITE && kind != ZERO) kill(getpid(), SIGKILL);
    return now;
}
static int id_of(const char* name);
/* What Python does to a file past SQLite: whether it fails, and a line of the trace if it did not. */
int faults_meet(const char* name) { return fails(id_of(name), ZERO); }
void faults_record(int op, const char* name, long long at, int size, const void* data) {
    record((char)op, id_of(name), at, size, data);
}
static int id_of(const char* name) {
    if (!name || !folder[0] || strncmp(name, folder, strlen(folder))) return -1;
    for (int id = 0; id < known; id++)
        if (!strcmp(names[id], name)) return id;
    if (known == 64) return -1;
    snprintf(names[known], sizeof names[0], "%s", name);
    return known++;
}

#define REAL(f) (((File*)(f))->real)
#define ID(f) (((File*)(f))->id)

static int xClose(sqlite3_file* f) { return REAL(f)->pMethods ? REAL(f)->pMethods->xClose(REAL(f)) : SQLITE_OK; }
static int xRead(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
    if (fails(ID(f), READ)) return SQLITE_IOERR_READ;
    return REAL(f)->pMethods->xRead(REAL(f), to, size, at);
}
static int xWrite(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
    if (fails(ID(f), WRITE)) {
        if (how >= SHORT) REAL(f)->pMethods->xWrite(REAL(f), from, size / 2, at);
        if (how == KILL) kill(getpid(), SIGKILL);
        return how == EIO_ ? SQLITE_IOERR_WRITE : SQLITE_FULL;
    }
    int rc = REAL(f)->pMethods->xWrite(REAL(f), from, size, at);
    if (rc == SQLITE_OK) record('W', ID(f), at, size, from);
    return rc;
}
static int xTruncate(sqlite3_file* f, sqlite3_int64 size) {
    if (fails(ID(f), TRUNCATE)) return SQLITE_IOERR_TRUNCATE;
    int rc = REAL(f)->pMethods->xTruncate(REAL(f), size);
    if (rc == SQLITE_OK) record('T', ID(f), size, 0, NULL);
    return rc;
}
static int xSync(sqlite3_file* f, int flags) {
    if (fails(ID(f), SYNC)) return how == FULL ? SQLITE_FULL : SQLITE_IOERR_FSYNC;
    int rc = REAL(f)->pMethods->xSync(REAL(f), flags);
    if (rc == SQLITE_OK) record('S', ID(f), 0, 0, NULL);
    return rc;
}
static int xFileSize(sqlite3_file* f, sqlite3_int64* size) {
    if (fails(ID(f), SIZE)) return SQLITE_IOERR_FSTAT;
    return REAL(f)->pMethods->xFileSize(REAL(f), size);
}
static int xLock(sqlite3_file* f, int level) {
    if (fails(ID(f), LOCK)) return SQLITE_IOERR_LOCK;
    return REAL(f)->pMethods->xLock(REAL(f), level);
}
static int xUnlock(sqlite3_file* f, int level) { return REAL(f)->pMethods->xUnlock(REAL(f), level); }
static int xCheckReservedLock(sqlite3_file* f, int* out) { return REAL(f)->pMethods->xCheckReservedLock(REAL(f), out); }
static int xFileControl(sqlite3_file* f, int op, void* arg) { return REAL(f)->pMethods->xFileControl(REAL(f), op, arg); }
static int xSectorSize(sqlite3_file* f) { return REAL(f)->pMethods->xSectorSize(REAL(f)); }
/* Nothing is promised of what a power cut leaves: a write may be torn, and others overtake it. */
static int xDeviceCharacteristics(sqlite3_file* f) { (void)f; return 0; }
static int xShmMap(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    if (fails(ID(f), OPEN)) return SQLITE_IOERR_SHMMAP;
    return REAL(f)->pMethods->xShmMap(REAL(f), page, size, extend, out);
}
static int xShmLock(sqlite3_file* f, int offset, int n, int flags) {
    if (!(flags & SQLITE_SHM_UNLOCK) && fails(ID(f), LOCK)) return SQLITE_IOERR_SHMLOCK;
    return REAL(f)->pMethods->xShmLock(REAL(f), offset, n, flags);
}
static void xShmBarrier(sqlite3_file* f) { REAL(f)->pMethods->xShmBarrier(REAL(f)); }
static int xShmUnmap(sqlite3_file* f, int del) { return REAL(f)->pMethods->xShmUnmap(REAL(f), del); }

static int xOpen(sqlite3_vfs* v, const char* name, sqlite3_file* f, int flags, int* out) {
    (void)v;
    File* file = (File*)f;
    file->base.pMethods = NULL;
    file->id = id_of(name);
    file->real = (sqlite3_file*)(file + 1);
    file->real->pMethods = NULL;
    if (fails(file->id, OPEN)) return SQLITE_CANTOPEN;
    int rc = usual->xOpen(usual, name, file->real, flags, out);
    if (rc != SQLITE_OK) {
        if (file->real->pMethods) file->real->pMethods->xClose(file->real);
        return rc;
    }
    record('O', file->id, 0, 0, NULL);
    file->base.pMethods = &methods;
    return SQLITE_OK;
}
static int xDelete(sqlite3_vfs* v, const char* name, int sync) {
    (void)v;
    int id = id_of(name);
    if (fails(id, DELETE)) return SQLITE_IOERR_DELETE;
    int rc = usual->xDelete(usual, name, sync);
    if (rc == SQLITE_OK) record('D', id, sync, 0, NULL);
    return rc;
}

int faults_install(sqlite3_vfs* (*find)(const char*), int (*add)(sqlite3_vfs*, int), sqlite3_mutex* (*mutex)(int)) {
    if (usual) return add(&ours, 1);
    usual = find(NULL);
    guard = mutex(SQLITE_MUTEX_FAST);
    ours = *usual; /* its functions take the usual one's data, which it shares */
    ours.zName = "faulty";
    ours.szOsFile = (int)sizeof(File) + usual->szOsFile;
    ours.xOpen = xOpen;
    ours.xDelete = xDelete;
    methods = (sqlite3_io_methods){2, xClose, xRead, xWrite, xTruncate, xSync, xFileSize, xLock, xUnlock,
        xCheckReservedLock, xFileControl, xSectorSize, xDeviceCharacteristics, xShmMap, xShmLock,
        xShmBarrier, xShmUnmap};
    return add(&ours, 1);
}
int faults_remove(int (*drop)(sqlite3_vfs*), int (*add)(sqlite3_vfs*, int)) {
    faults_arm(0, 0, 0, 0);
    faults_trace(NULL);
    folder[0] = 0;
    add(usual, 1);
    return drop(&ours);
}
