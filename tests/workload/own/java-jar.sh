# id: java-jar
# area: native
# title: javac and jar: packages, a service, resources, a child JVM, memory-mapped files, a class data archive
# needs: default-jdk-headless
# uses: java javac jar
# timeout: 90
setup() {
    mkdir -p "$PROJECT/src/app/META" "$PROJECT/out"
    cat >"$PROJECT/src/app/Main.java" <<'END'
package app;

import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.concurrent.*;

public class Main {
    public static void main(String[] args) throws Exception {
        if (args.length > 0) { System.out.println("child " + args[0]); return; }
        System.out.println(new String(Main.class.getResourceAsStream("text").readAllBytes()).trim());
        Process child = new ProcessBuilder("java", "-Xshare:auto", "-cp", System.getProperty("java.class.path"), "app.Main", "word")
            .redirectErrorStream(true).start();
        System.out.println(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine() + " " + child.waitFor());
        try (FileChannel file = FileChannel.open(Path.of("mapped"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer map = file.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 16);
            map.put(0, (byte) 'x');
            map.force();
            try (FileLock lock = file.lock()) { System.out.println("locked " + lock.isValid()); }
        }
        ExecutorService pool = Executors.newFixedThreadPool(8);
        System.out.println(pool.submit(() -> 42).get());
        pool.shutdown();
        Files.walk(Path.of("src")).filter(Files::isRegularFile).sorted().forEach(p -> System.out.println(p));
    }
}
END
    echo resource >"$PROJECT/src/app/text"
    printf 'Main-Class: app.Main\n' >"$PROJECT/manifest"
}

run() {
    capture build sh -c 'javac -d out src/app/Main.java && cp src/app/text out/app && jar cfm app.jar manifest -C out .'
    capture run java -jar app.jar
}

verdict() {
    want_rc build 0
    want_rc run 0
    want_out run "resource
child word 0
locked true
42
src/app/Main.java
src/app/text"
}
