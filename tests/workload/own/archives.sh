# id: archives
# area: files
# title: tar with xz and gzip, incremental archives, cpio-like copies, sparse files, modes and links kept
# uses: tar gzip xz
setup() {
    mkdir -p "$PROJECT/tree/sub"
    echo text >"$PROJECT/tree/file"
    ln -s file "$PROJECT/tree/link"
    ln "$PROJECT/tree/file" "$PROJECT/tree/hard"
    truncate -s 50M "$PROJECT/tree/sparse"
    chmod 640 "$PROJECT/tree/file"
    touch -d @86400 "$PROJECT/tree/file"
}

run() {
    capture pack sh -c 'tar -S -cJf tree.tar.xz tree && tar -S -czf tree.tar.gz tree'
    capture unpack sh -c 'mkdir out && tar xJpf tree.tar.xz -C out && stat -c "%a %Y %h" out/tree/file && readlink out/tree/link && du -k out/tree/sparse | cut -f1'
    capture compare tar dzf tree.tar.gz
    capture incremental sh -c 'tar -g snap -cf 0.tar tree; echo more >tree/sub/new; tar -g snap -cf 1.tar tree; tar tf 1.tar | grep -c new'
    capture copy sh -c 'cp -a --reflink=auto --sparse=always tree copy && diff -r tree copy && (cd tree && find . | sort) | (cd copy && xargs ls -d) | wc -l'
}

verdict() {
    want_rc pack 0
    want_match unpack '^640 86400 2$'
    want_match unpack '^file$'
    want_rc compare 0
    want_out incremental 1
    want_rc copy 0
}
