# id: python-pytest-fixtures
# area: python
# title: pytest with tmp_path, capfd, monkeypatch, a failing test, its cache and --last-failed
# needs: python3-pytest
# uses: pytest
# timeout: 60
setup() {
    cat >"$PROJECT/test_things.py" <<'END'
import os, subprocess, pytest

@pytest.mark.parametrize('n', range(5))
def test_tmp(tmp_path, n):
    (tmp_path / 'f').write_text(str(n))
    assert (tmp_path / 'f').read_text() == str(n)

def test_output(capfd):
    subprocess.run(['echo', 'out'], check=True)
    assert capfd.readouterr().out == 'out\n'

def test_env(monkeypatch, tmp_path):
    monkeypatch.setenv('X_TEST', '1'); monkeypatch.chdir(tmp_path)
    assert os.getcwd() == str(tmp_path)

def test_bad():
    assert os.path.exists('fixed')
END
}

run() {
    capture first pytest -q
    capture fixed sh -c 'touch fixed; pytest -q --last-failed'
    capture junit pytest -q --junitxml=report.xml
}

verdict() {
    want_rc first 1
    want_match first '1 failed, 7 passed'
    want_match fixed '1 passed'
    want_rc junit 0
    check "no report" grep -q 'tests="8"' "$PROJECT/report.xml"
}
