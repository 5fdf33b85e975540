# id: python-concurrency
# area: python
# title: process pools, shared memory, managers, asyncio subprocesses and unix sockets, temporary files
# uses: python3
# timeout: 60
setup() {
    cat >"$PROJECT/work.py" <<'END'
import asyncio, concurrent.futures, multiprocessing, os, signal, tempfile
from multiprocessing import shared_memory

def square(n):
    return n * n

async def talk():
    path = os.path.join(tempfile.mkdtemp(), 's')
    async def serve(reader, writer):
        writer.write((await reader.readline()).upper()); await writer.drain(); writer.close()
    server = await asyncio.start_unix_server(serve, path)
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(b'hello\n')
    print((await reader.read()).decode().strip())
    server.close()
    child = await asyncio.create_subprocess_exec('sh', '-c', 'kill -USR1 $$; exit 1')
    print(await child.wait() == -signal.SIGUSR1)

if __name__ == '__main__':
    for method in ('fork', 'spawn', 'forkserver'):
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            print(method, sum(pool.map(square, range(10))))
    block = shared_memory.SharedMemory(create=True, size=1 << 20)
    block.buf[:5] = b'bytes'
    again = shared_memory.SharedMemory(block.name)
    print(bytes(again.buf[:5]).decode())
    again.close(); block.close(); block.unlink()
    with multiprocessing.Manager() as manager:
        shared = manager.dict(); shared['x'] = 1
        print(dict(shared))
    asyncio.run(talk())
    with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryFile() as other:
        print(os.path.exists(file.name), other.write(b'x'))
END
}

run() { capture work python3 work.py; }

verdict() {
    want_rc work 0
    want_out work "fork 285
spawn 285
forkserver 285
bytes
{'x': 1}
HELLO
True
True 1"
}
