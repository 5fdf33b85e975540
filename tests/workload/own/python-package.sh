# id: python-package
# area: python
# title: a venv with a path file, an entry point, zipapp, compileall and a unittest run
# needs: python3-venv
# uses: python3
# timeout: 90
setup() {
    mkdir -p "$PROJECT/src/pkg" "$PROJECT/tests"
    echo 'def main(): print("pkg", 6 * 7)' >"$PROJECT/src/pkg/__init__.py"
    echo 'from pkg import main; main()' >"$PROJECT/src/pkg/__main__.py"
    printf 'import unittest, pkg\nclass T(unittest.TestCase):\n    def test_it(self): self.assertTrue(pkg.main)\n' >"$PROJECT/tests/test_pkg.py"
}

run() {
    capture venv python3 -m venv --without-pip env
    capture link sh -c 'echo "$PWD/src" >"$(echo env/lib/python3*/site-packages)/here.pth"'
    capture module env/bin/python -m pkg
    capture test env/bin/python -m unittest discover -s tests -q
    capture zip sh -c 'python3 -m zipapp src -m pkg:main -p "/usr/bin/env python3" -o app.pyz && ./app.pyz'
    capture compile sh -c 'python3 -m compileall -q src && ls src/pkg/__pycache__ | wc -l'
    capture prefix env/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'
}

verdict() {
    want_rc venv 0
    want_out module 'pkg 42'
    want_rc test 0
    want_out zip 'pkg 42'
    want_match compile '^2$'
    want_out prefix True
}
