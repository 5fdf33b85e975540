"""`sbx schema` is a JSON Schema that an editor can use, and says the same as sbx itself."""
import json
import re
import unittest

import sandbox

try:
    import tomllib
except ImportError:  # Python before 3.11
    tomllib = None

TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'integer': int, 'number': (int, float)}

# Policies of one line, and whether they are good.
LINES = (
    ('extends = ["agent"]', True), ('extends = "agent"', False), ('extend = []', False),
    ('sandbox.network = "on"', True), ('sandbox.network = true', True), ('sandbox.network = "maybe"', False),
    ('sandbox.allowNetwork = false', True), ('sandbox.allowNetwork = "on"', False),
    ('sandbox.read = ["/srv/x"]', True), ('sandbox.read = "/srv/x"', False), ('sandbox.read = [""]', False),
    ('sandbox.allowedPorts = [1, 65535]', True), ('sandbox.allowedPorts = [0]', False),
    ('sandbox.allowedPorts = [65536]', False), ('sandbox.allowedPorts = ["80"]', False),
    ('sandbox.allowedPorts = [80.0]', False), ('sandbox.backend = "auto"', True), ('sandbox.backend = "docker"', False),
    ('sandbox.toolchains = ["~/x"]', True), ('sandbox.toolchains = "off"', True), ('sandbox.toolchains = "on"', False),
    ('sandbox.env.pass = ["A", "B_*"]', True), ('sandbox.env.pass = ["A=b"]', False), ('sandbox.env.pass = ["*"]', False),
    ('sandbox.env.set = { A = "b" }', True), ('sandbox.env.set = { A = 1 }', False),
    ('sandbox.env.set = { SBX_TAINTED = "0" }', False), ('sandbox.env.set = { "1" = "x" }', False),
    ('sandbox.tainted = 1', False), ('limits.timeout = "10m"', True), ('limits.timeout = 10', False),
    ('limits.timeout = "0s"', False), ('limits.timeout = "1 m"', False), ('limits.memory = "512M"', True),
    ('limits.memory = 4096', True), ('limits.memory = "5X"', False), ('limits.memory = 0', False),
    ('limits.cpus = 0.5', True), ('limits.cpus = 0', False), ('limits.processes = 1.5', False),
    ('zones.denied = ["*.kdbx"]', True), ('zones.denied = [""]', False), ('zones.levl = "safe"', False),
    ('vm.folders = [{ id = "x" }]', False), ('vm.folders = [{ path = "/srv/x", mode = 1 }]', False), ('[foo]', False),
)


def faults(schema, value, at='policy'):
    """What of `value` is not as `schema` says. An unknown word of the schema is a fault of the schema."""
    found = []
    for word, wanted in schema.items():
        if word in ('$schema', 'title', 'description', 'default'):
            continue
        if word == 'type':
            good = isinstance(value, TYPES[wanted]) and (wanted == 'boolean' or not isinstance(value, bool))
            if not good:
                return ['%s: %r is no %s' % (at, value, wanted)]
        elif word == 'enum':
            found += [] if value in wanted and isinstance(value, str) else ['%s: %r' % (at, value)]
        elif word == 'anyOf':
            found += [] if any(not faults(one, value, at) for one in wanted) else ['%s: %r' % (at, value)]
        elif word == 'properties':
            for name in value:
                found += faults(wanted[name], value[name], at + '.' + name) if name in wanted else []
        elif word == 'additionalProperties':
            for name in set(value) - set(schema.get('properties', ())):
                found += faults(wanted, value[name], at + '.' + name) if wanted else [at + ': unknown ' + name]
        elif word == 'propertyNames':
            for name in value:
                found += faults(wanted, name, at)
        elif word == 'required':
            found += [at + ': no ' + name for name in wanted if name not in value]
        elif word == 'items':
            for item in value:
                found += faults(wanted, item, at + '[]')
        elif word in ('minimum', 'maximum', 'exclusiveMinimum', 'minLength', 'maxLength', 'pattern'):
            good = {'minimum': lambda: value >= wanted, 'maximum': lambda: value <= wanted,
                    'exclusiveMinimum': lambda: value > wanted, 'minLength': lambda: len(value) >= wanted,
                    'maxLength': lambda: len(value) <= wanted, 'pattern': lambda: bool(re.search(wanted, value))}[word]()
            found += [] if good else ['%s: %r: %s' % (at, value, word)]
        else:
            raise AssertionError('the schema has a word that is none: ' + word)
    return found


def keys(schema, prefix=''):
    """Every key of the schema: its name and what is said of it."""
    for name, one in schema['properties'].items():
        if 'properties' in one:
            yield from keys(one, prefix + name + '.')
        else:
            yield prefix + name, one


class Schema(sandbox.Case):
    def setUp(self):
        super().setUp()
        self.schema = json.loads(self.ok(self.run_sbx('schema')))

    def test_form(self):
        self.assertEqual(self.schema['$schema'], 'https://json-schema.org/draft/2020-12/schema')
        for name, key in keys(self.schema):
            self.assertTrue(key['description'].endswith('.'), name)
            if 'default' in key:
                self.assertEqual(faults(key, key['default'], name), [])

    @unittest.skipUnless(tomllib, 'no tomllib')
    def test_shipped_profiles_are_good(self):
        for line in self.ok(self.run_sbx('profiles')).decode().splitlines():
            text = self.ok(self.run_sbx('profiles', line.split()[0])).decode()
            self.assertEqual(faults(self.schema, tomllib.loads(text)), [], line)

    @unittest.skipUnless(tomllib, 'no tomllib')
    def test_agrees_with_sbx(self):
        for line, good in LINES:
            self.write('p.toml', line + '\n')
            self.assertEqual(self.run_sbx('check', 'p.toml').returncode, 0 if good else 1, line)
            self.assertEqual(faults(self.schema, tomllib.loads(line)) == [], good, line)

    def test_editors_find_it(self):
        """The first line of the example in sbx.toml(5) is a comment for sbx and an address for editors."""
        self.write('p.toml', '#:schema ./sbx.schema.json\nextends = ["default"]\n')
        self.assertEqual(self.ok(self.run_sbx('check', 'p.toml')), b'No security notes\n')


if __name__ == '__main__':
    sandbox.main()
