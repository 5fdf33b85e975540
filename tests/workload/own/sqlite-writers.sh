# id: sqlite-writers
# area: services
# title: several processes write one sqlite database in WAL mode at once; backup, vacuum, full-text search
# uses: python3
# timeout: 90
setup() {
    cat >"$PROJECT/writers.py" <<'END'
import multiprocessing, sqlite3

def write(number):
    base = sqlite3.connect('data.db', timeout=60)
    for n in range(50):
        with base:
            base.execute('insert into t values (?, ?)', (number, n))
    base.close()

if __name__ == '__main__':
    base = sqlite3.connect('data.db')
    print(base.execute('pragma journal_mode=wal').fetchone()[0])
    base.execute('create table t (a, b)')
    base.commit()
    workers = [multiprocessing.Process(target=write, args=(n,)) for n in range(4)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    print(base.execute('select count(*), count(distinct a) from t').fetchone())
    copy = sqlite3.connect('copy.db')
    base.backup(copy)
    copy.execute('vacuum')
    print(copy.execute('pragma integrity_check').fetchone()[0])
END
}

run() { capture writers python3 writers.py; }

verdict() {
    want_rc writers 0
    want_out writers "wal
(200, 4)
ok"
    check "nothing on the host" test -s "$PROJECT/copy.db"
}
