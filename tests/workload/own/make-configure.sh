# id: make-configure
# area: native
# title: ./configure with test programs, recursive make -j with a jobserver, generated headers, install to DESTDIR
# needs: make gcc libc6-dev
# uses: make cc
setup() {
    mkdir "$PROJECT/lib" "$PROJECT/bin"
    cat >"$PROJECT/configure" <<'END'
#!/bin/sh
exec 5>config.log
for header in stdio.h no_such_header.h; do
    printf '#include <%s>\nint main(void) { return 0; }\n' $header >conftest.c
    if cc conftest.c -o conftest >&5 2>&5 && ./conftest; then result=yes; else result=no; fi
    echo "checking for $header... $result"
    rm -f conftest conftest.c
done
sed "s|@prefix@|${1#--prefix=}|" Makefile.in >Makefile
END
    chmod +x "$PROJECT/configure"
    printf 'prefix = @prefix@\nall install:\n\t$(MAKE) -C lib $@ prefix=$(prefix)\n\t$(MAKE) -C bin $@ prefix=$(prefix)\n' >"$PROJECT/Makefile.in"
    printf 'all: libx.a\ngen.h:\n\techo "#define N 42" >$@\n%%.o: %%.c gen.h\n\tcc -c $< -o $@\nlibx.a: a.o b.o c.o d.o\n\tar rcs $@ $^\ninstall:\n' >"$PROJECT/lib/Makefile"
    for name in a b c d; do printf '#include "gen.h"\nint %s(void) { return N; }\n' $name >"$PROJECT/lib/$name.c"; done
    printf 'all: prog\nprog: main.c ../lib/libx.a\n\tcc main.c ../lib/libx.a -o $@\ninstall:\n\tinstall -D -m 755 prog $(DESTDIR)$(prefix)/bin/prog\n' >"$PROJECT/bin/Makefile"
    printf 'int a(void);\nint main(void) { return a(); }\n' >"$PROJECT/bin/main.c"
}

run() {
    capture configure ./configure --prefix=/usr
    capture build make -s -j4
    capture install sh -c 'make -s install DESTDIR="$PWD/stage" && stage/usr/bin/prog'
}

verdict() {
    want_out configure "checking for stdio.h... yes
checking for no_such_header.h... no"
    want_rc build 0
    want_rc install 42
    check "make lost its jobserver: $(cat "$SCRATCH/build.err")" sh -c '! grep -q jobserver "$1"' sh "$SCRATCH/build.err"
    check "not executable" test -x "$PROJECT/stage/usr/bin/prog"
}
