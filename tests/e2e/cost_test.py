"""What a start costs in system calls, so that no program, mount or file is added unnoticed."""
import collections
import os
import re
import unittest

import sandbox
from sandbox import both


@both
class Cost(sandbox.Case):
    # What there is today plus a little. A change that needs more raises these on purpose.
    EXECS = 4        # sbx, bwrap, the inner stage, the command
    FORKS = 5

    def limits(self):
        """Mounts and files opened. Root can read what is not for everybody, so that is covered one by one."""
        return (55, 175) if self.as_user or os.geteuid() != 0 else (95, 360)

    def counts(self, *before):
        trace = os.path.join(self.home, 'trace')
        self.ok(self.call('strace', '-f', '-qq', '-o', trace, '-e', 'trace=execve,execveat,mount,umount2,move_mount,open_tree,'
                          'mount_setattr,pivot_root,open,openat,openat2,clone,clone3,fork,vfork', *before, self.sbx, 'run', '--', '/bin/true'))
        counts = collections.Counter()
        with open(trace) as file:
            for line in file:
                call = re.match(r'\d+ +(\w+)\((.*)', line)
                if call and ('= -1' not in line or call[1].startswith('open')):
                    counts[call[1]] += 1
        execs = counts['execve'] + counts['execveat']
        mounts = sum(counts[name] for name in ('mount', 'umount2', 'move_mount', 'open_tree', 'mount_setattr', 'pivot_root'))
        opens = sum(counts[name] for name in ('open', 'openat', 'openat2'))
        forks = sum(counts[name] for name in ('clone', 'clone3', 'fork', 'vfork'))
        return execs, mounts, opens, forks

    def test_counts(self):
        self.needs('strace')
        self.git('init', '-q')
        execs, mounts, opens, forks = self.counts()
        found = 'execs %d, mounts %d, files opened %d, forks %d' % (execs, mounts, opens, forks)
        print(found)
        most_mounts, most_opens = self.limits()
        self.assertEqual(execs, self.EXECS, found)
        self.assertLessEqual(mounts, most_mounts, found)
        self.assertLessEqual(opens, most_opens, found)
        self.assertLessEqual(forks, self.FORKS, found)

    def test_the_count_sees_more(self):
        """A start that costs one program, one process and one file more is told from one that does not."""
        self.needs('strace')
        plain = self.counts()
        more = self.counts('sh', '-c', 'cat /etc/passwd >/dev/null; exec "$@"', 'sh')
        self.assertEqual(more[0] - plain[0], 2)   # sh, cat
        self.assertEqual(more[3] - plain[3], 1)
        self.assertGreater(more[2], plain[2])

    def test_memory(self):
        """Proportional memory of sbx's own processes while the command runs: at most 1.5 MiB."""
        import signals_test
        process = self.start_inside('sh', '-c', 'echo up; exec sleep 1000')
        self.line_of(process, 'up')

        def total():
            kib = 0
            for pid in [process.pid] + signals_test.children(process.pid):
                with open('/proc/%d/comm' % pid) as file:
                    if file.read().strip() in ('bwrap', 'sleep'):
                        continue
                with open('/proc/%d/smaps_rollup' % pid) as file:
                    kib += int(re.search(r'^Pss: +(\d+) kB', file.read(), re.M)[1])
            self.assertGreater(kib, 0)
            return kib
        # The command may run before sbx has come to give back what only the start needed.
        self.wait_for(lambda: total() <= 1536, '1.5 MiB')


if __name__ == '__main__':
    sandbox.main()
