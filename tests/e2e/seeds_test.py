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
        """A test that is cited is there by that very name; a promise that is kept cites something."""
        for row in self.rows:
            name, verdict, _, proof = (cell.strip() for cell in row)
            self.assertIn(verdict, ('IN', 'ADAPT', 'OUT'), name)
            self.assertEqual(proof == 'none', verdict == 'OUT', name)
            self.assertNotIn('Part ', proof, name)
            for cited in re.finditer(r'((?:unit|e2e|escape|workload)/[\w./-]+)(?: (\w+(?:\.\w+)?))?', proof):
                path = os.path.join(ROOT, 'tests', cited.group(1))
                self.assertTrue(os.path.exists(path), (name, cited.group(1)))
                if cited.group(2):
                    with open(path) as file:
                        suite, _, test = cited.group(2).rpartition('.')
                        wanted = r'TEST(_F|_P)?\(%s, %s\)' % (suite, test) if suite else r'def %s\(' % test
                        self.assertRegex(file.read(), wanted, (name, cited.group(0)))
            for page, part in re.findall(r'man/(sbx[.\w]*)(?:, (\w+))?', proof):
                with open(os.path.join(ROOT, 'man', page)) as file:
                    self.assertIn(part, file.read(), name)

    def test_guest_recipe(self):  # T6, T7, T8
        with open(os.path.join(ROOT, 'src', 'vm', 'guest', 'Containerfile')) as file:
            recipe = file.read()
        self.assertRegex(recipe, r'ARG BASE=\S+@sha256:[0-9a-f]{64}\n')
        self.assertRegex(recipe, r'SNAPSHOT=\d{8}T\d{6}Z')
        self.assertNotIn('python', recipe.lower())


if __name__ == '__main__':
    unittest.main()
