/* SQLite and LMDB as engines of durable stores: commits per second with batches of puts, and what a flipped bit does.
 *
 *     cc -O2 bench/peers/store_engines.c -lsqlite3 -llmdb -o store_engines && ./store_engines FOLDER
 *
 * A flip is silent where every call succeeds and a row is missing, old or different. */
#include <fcntl.h>
#include <lmdb.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 100, ROWS = 40, FLIPS = 400 };
static char folder[256];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *in(const char *name)
{
    static char path[4][400];
    static int at;
    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", folder, name);
    return path[at];
}

static void fill(char *value, int row)
{
    for (int i = 0; i < SIZE; i++)
        value[i] = (char)('a' + (row * 7 + i) % 26);
}

/* ---- SQLite ---- */
static sqlite3 *sqlite_at(const char *name, const char *journal)
{
    sqlite3 *db;
    char mode[64];
    if (sqlite3_open(in(name), &db) != SQLITE_OK)
        return NULL;
    snprintf(mode, sizeof mode, "pragma journal_mode=%s", journal);
    sqlite3_exec(db, mode, NULL, NULL, NULL);
    sqlite3_exec(db, "pragma synchronous=full; create table if not exists s(k integer primary key, v blob)", NULL, NULL,
                 NULL);
    return db;
}

static int sqlite_put(sqlite3 *db, int first, int rows)
{
    sqlite3_stmt *s;
    char value[SIZE];
    int good = sqlite3_exec(db, "begin immediate", NULL, NULL, NULL) == SQLITE_OK;
    good = good && sqlite3_prepare_v2(db, "insert or replace into s values(?, ?)", -1, &s, NULL) == SQLITE_OK;
    for (int i = 0; good && i < rows; i++) {
        fill(value, first + i);
        sqlite3_bind_int(s, 1, first + i);
        sqlite3_bind_blob(s, 2, value, SIZE, SQLITE_TRANSIENT);
        good = sqlite3_step(s) == SQLITE_DONE && sqlite3_reset(s) == SQLITE_OK;
    }
    if (good)
        sqlite3_finalize(s);
    return good && sqlite3_exec(db, "commit", NULL, NULL, NULL) == SQLITE_OK;
}

/* 1: all rows; 0: an error was told; -1: silent. */
static int sqlite_check(const char *name)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    char value[SIZE];
    int rows = 0, same = 1, rc = SQLITE_ERROR;
    if (sqlite3_open(in(name), &db) == SQLITE_OK &&
        (rc = sqlite3_prepare_v2(db, "select k, v from s order by k", -1, &s, NULL)) == SQLITE_OK) {
        while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
            fill(value, sqlite3_column_int(s, 0));
            same = same && sqlite3_column_int(s, 0) == rows && sqlite3_column_bytes(s, 1) == SIZE &&
                   memcmp(sqlite3_column_blob(s, 1), value, SIZE) == 0;
            rows++;
        }
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
    return rc != SQLITE_DONE ? 0 : same && rows == ROWS ? 1 : -1;
}

/* ---- LMDB ---- */
static MDB_env *lmdb_at(const char *name)
{
    MDB_env *env;
    if (mdb_env_create(&env))
        return NULL;
    mdb_env_set_mapsize(env, 64 << 20);
    return mdb_env_open(env, in(name), MDB_NOSUBDIR, 0600) ? NULL : env;
}

static int lmdb_put(MDB_env *env, int first, int rows)
{
    MDB_txn *txn;
    MDB_dbi dbi;
    char value[SIZE];
    if (mdb_txn_begin(env, NULL, 0, &txn) || mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &dbi))
        return 0;
    for (int i = 0; i < rows; i++) {
        int key = first + i;
        fill(value, key);
        MDB_val k = { sizeof key, &key }, v = { SIZE, value };
        if (mdb_put(txn, dbi, &k, &v, 0))
            return 0;
    }
    return mdb_txn_commit(txn) == 0;
}

static int lmdb_check(const char *name)
{
    MDB_txn *txn;
    MDB_dbi dbi;
    MDB_cursor *cursor;
    MDB_val k, v;
    char value[SIZE];
    int rows = 0, same = 1, rc = 1;
    MDB_env *env = lmdb_at(name);
    if (!env || mdb_txn_begin(env, NULL, MDB_RDONLY, &txn))
        return 0;
    if ((rc = mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &dbi)) == 0 && (rc = mdb_cursor_open(txn, dbi, &cursor)) == 0)
        while ((rc = mdb_cursor_get(cursor, &k, &v, MDB_NEXT)) == 0 && rows < 2 * ROWS) {
            fill(value, rows);
            same = same && k.mv_size == sizeof rows && memcmp(k.mv_data, &rows, sizeof rows) == 0 &&
                   v.mv_size == SIZE && memcmp(v.mv_data, value, SIZE) == 0;
            rows++;
        }
    return rc != MDB_NOTFOUND ? 0 : same && rows == ROWS ? 1 : -1;
}

/* ---- both ---- */
#include <sys/wait.h>
static void flips(const char *what, const char *file, const char *open_as, int (*check)(const char *))
{
    struct stat about;
    int told = 0, silent = 0, crashed = 0, harmless = 0;
    char command[1200];
    if (stat(in(file), &about) != 0)
        return;
    srand(1);
    for (int i = 0; i < FLIPS; i++) {
        snprintf(command, sizeof command, "rm -rf %s.f; cp -r %s %s.f", folder, folder, folder);
        if (system(command) != 0)
            exit(3);
        pid_t child = fork();
        if (child == 0) {
            strcat(folder, ".f");
            int fd = open(in(file), O_RDWR);
            off_t at = (off_t)(((long)rand() * 32768 + rand() + i * 7919L) % about.st_size);
            char byte;
            if (pread(fd, &byte, 1, at) != 1)
                _exit(3);
            byte ^= (char)(1 << i % 8);
            if (pwrite(fd, &byte, 1, at) != 1)
                _exit(3);
            close(fd);
            alarm(10);
            _exit(1 + check(open_as));
        }
        int status;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status))
            crashed++;
        else if (WEXITSTATUS(status) == 2)
            harmless++;
        else if (WEXITSTATUS(status) == 1)
            told++;
        else
            silent++;
    }
    printf("%-24s %lld bytes, %d flips: %d silent, %d told, %d crash the process, %d harmless\n", what,
           (long long)about.st_size, FLIPS, silent, told, crashed, harmless);
}

static void speeds(int batch)
{
    int commits = 100;
    sqlite3 *db = sqlite_at("speed.sqlite", "wal");
    double start = now();
    for (int i = 0; i < commits; i++)
        if (!sqlite_put(db, 0, batch))
            exit(3);
    double sqlite = commits * batch / (now() - start);
    sqlite3_close(db);
    MDB_env *env = lmdb_at("speed.lmdb");
    start = now();
    for (int i = 0; i < commits; i++)
        if (!lmdb_put(env, 0, batch))
            exit(3);
    double lmdb = commits * batch / (now() - start);
    mdb_env_close(env);
    int fd = open(in("raw"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    char bytes[SIZE] = "";
    start = now();
    for (int i = 0; i < commits; i++)
        if (pwrite(fd, bytes, SIZE, (off_t)i * SIZE) != SIZE || fdatasync(fd))
            exit(3);
    double raw = commits / (now() - start);
    close(fd);
    printf("batches of %4d: sqlite %.0f puts/s (%.2fx raw syncs), lmdb %.0f (%.2fx), raw %.0f syncs/s\n", batch, sqlite,
           sqlite / raw, lmdb, lmdb / raw, raw);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    snprintf(folder, sizeof folder, "%s", argc > 1 ? argv[1] : "store_engines.tmp");
    mkdir(folder, 0700);
    for (int batch = 1; batch <= 256; batch *= 16)
        speeds(batch);
    unlink(in("speed.sqlite")), unlink(in("speed.lmdb")), unlink(in("speed.lmdb-lock")), unlink(in("raw"));
    sqlite3 *db = sqlite_at("d.sqlite", "delete"), *wal = sqlite_at("w.sqlite", "wal");
    MDB_env *env = lmdb_at("l.lmdb");
    for (int i = 0; i < ROWS; i += 4)
        if (!sqlite_put(db, i, 4) || !sqlite_put(wal, i, 4) || !lmdb_put(env, i, 4))
            exit(3);
    sqlite3_close(db);
    mdb_env_close(env);
    flips("sqlite, rollback journal", "d.sqlite", "d.sqlite", sqlite_check);
    flips("sqlite, wal after kill", "w.sqlite-wal", "w.sqlite", sqlite_check);
    flips("lmdb", "l.lmdb", "l.lmdb", lmdb_check);
    return 0;
}
