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
    MOUNTS = 95
    OPENS = 360
    FORKS = 5

    def test_counts(self):
        self.needs('strace')
        self.git('init', '-q')
        trace = os.path.join(self.home, 'trace')
        self.ok(self.call('strace', '-f', '-qq', '-o', trace, '-e', 'trace=execve,execveat,mount,umount2,move_mount,open_tree,'
                          'mount_setattr,pivot_root,open,openat,openat2,clone,clone3,fork,vfork', self.sbx, 'run', '--', '/bin/true'))
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
        found = 'execs %d, mounts %d, files opened %d, forks %d' % (execs, mounts, opens, forks)
        print(found)
        self.assertEqual(execs, self.EXECS, found)
        self.assertLessEqual(mounts, self.MOUNTS, found)
        self.assertLessEqual(opens, self.OPENS, found)
        self.assertLessEqual(forks, self.FORKS, found)

    def test_memory(self):
        """Proportional memory of sbx's own processes while the command runs: at most 1.5 MiB."""
        import signals_test
        process = self.start_inside('sh', '-c', 'echo up; exec sleep 1000')
        self.line_of(process, 'up')
        total = 0
        for pid in [process.pid] + signals_test.children(process.pid):
            with open('/proc/%d/comm' % pid) as file:
                if file.read().strip() in ('bwrap', 'sleep'):
                    continue
            with open('/proc/%d/smaps_rollup' % pid) as file:
                total += int(re.search(r'^Pss: +(\d+) kB', file.read(), re.M)[1])
        self.assertGreater(total, 0)
        self.assertLessEqual(total, 1536)


if __name__ == '__main__':
    sandbox.main()
