"""docs/seeds.md has every row of the four seeds, and every test that it cites exists."""
import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
ROWS = {'T': 108, 'F': 49, 'H': 57, 'P': 154}


class Seeds(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(ROOT, 'docs', 'seeds.md')) as file:
            self.rows = [re.split(r'(?<!\\)\|', line.strip())[1:-1] for line in file if re.match(r'\| [TFHP]\d', line)]

    def test_every_row_once(self):
        self.assertEqual([row[0].strip() for row in self.rows],
                         [letter + str(n) for letter, count in ROWS.items() for n in range(1, count + 1)])

    def test_cited_tests_exist(self):
        for row in self.rows:
            name, verdict, _, proof = (cell.strip() for cell in row)
            self.assertIn(verdict, ('IN', 'ADAPT', 'OUT'), name)
            for cited in re.finditer(r'((?:unit|e2e|escape|workload)/[\w./-]+)(?: (\w+(?:\.\w+)?))?', proof):
                path = os.path.join(ROOT, 'tests', cited.group(1))
                self.assertTrue(os.path.exists(path), (name, cited.group(1)))
                if cited.group(2):
                    with open(path) as file:
                        self.assertIn(cited.group(2).split('.')[-1], file.read(), (name, cited.group(0)))


if __name__ == '__main__':
    unittest.main()
