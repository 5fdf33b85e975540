# id: fakeroot-package
# area: files
# title: fakeroot: owners that tar keeps, device nodes, and a Debian package with its owner root
# needs: fakeroot dpkg
# uses: fakeroot tar dpkg-deb
# timeout: 60
setup() {
    mkdir -p "$PROJECT/pkg/DEBIAN" "$PROJECT/pkg/usr/bin"
    printf 'Package: bench\nVersion: 1\nArchitecture: all\nMaintainer: Bench <b@example.org>\nDescription: x\n' >"$PROJECT/pkg/DEBIAN/control"
    echo '#!/bin/sh' >"$PROJECT/pkg/usr/bin/bench"
    chmod 755 "$PROJECT/pkg" "$PROJECT/pkg/DEBIAN" "$PROJECT/pkg/usr" "$PROJECT/pkg/usr/bin" "$PROJECT/pkg/usr/bin/bench"
}

run() {
    capture owner fakeroot sh -c 'touch a && chown 12:34 a && tar cf a.tar a && stat -c "%u %g" a'
    capture listed tar tvf a.tar --numeric-owner
    capture unpack fakeroot sh -c 'mkdir x && tar xpf a.tar -C x && stat -c "%u %g" x/a'
    capture deb fakeroot dpkg-deb --build pkg
    capture content dpkg-deb -c pkg.deb
}

verdict() {
    want_out owner '12 34'
    want_match listed ' 12/34 '
    want_rc unpack 0
    want_rc deb 0
    want_match content 'root/root .*usr/bin/bench'
}
