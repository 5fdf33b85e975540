;;; A stand-in for the compiler and the decisions of Apple's sandbox: runs a Seatbelt profile (SBPL) as
;;; Scheme, records its rules the way Apple's own prelude does, and answers what they decide.
;;;
;;;   guile -s sbpl.scm [--old] [-D K=V]... (-f FILE | -p TEXT) [--dump] [OPERATION KEY=VALUE...]
;;;       prints "allow|deny OPERATION RULE"; exit 0, 64 for wrong usage, 65 for a profile that a Mac refuses
;;;   guile -s sbpl.scm --serve
;;;       reads "profile LENGTH [old]" followed by that many bytes -> "ok" | "error 65 MESSAGE", and
;;;       "ask OPERATION KEY=VALUE..." (bytes of values as %XX) -> "allow|deny OPERATION RULE"
;;;
;;; --old leaves out the names that came after 2015, so that what a profile guards with defined? is seen
;;; both ways.
;;;
;;; What is modelled, each point with public evidence (two copies of Apple's prelude, and measurements by
;;; Homebrew, bazel, nono, fence, mxc): filtered rules of one operation, newest first, then one terminal; a
;;; rule without a filter replaces the terminal; without one the parent operation goes on; some operations
;;; have a default of their own. Not modelled: which operations a system call asks for, how the kernel
;;; spells a path.
(use-modules (ice-9 match) (ice-9 binary-ports) (ice-9 format) (ice-9 rdelim) (srfi srfi-1) (srfi srfi-13)
             (rnrs bytevectors))

(define (bad . parts)
  (throw 'sbpl (string-concatenate (map (lambda (x) (if (string? x) x (format #f "~a" x))) parts))))

;; --- reader: TinyScheme's, on bytes (each character of a string is one byte) -------------------------
(define literal-limit 255)   ; strbuff of TinyScheme 1.38

(define (make-source text) (cons text 0))
(define (peek-byte s) (and (< (cdr s) (string-length (car s))) (string-ref (car s) (cdr s))))
(define (next-byte s) (let ((c (peek-byte s))) (if c (set-cdr! s (+ 1 (cdr s)))) c))
(define delimiters (string->list "()\"'; \t\r\n"))

(define (skip-space s)
  (let ((c (peek-byte s)))
    (cond ((not c) #t)
          ((memv c '(#\space #\tab #\return #\newline)) (next-byte s) (skip-space s))
          ((char=? c #\;) (let loop () (let ((c (next-byte s))) (if (and c (not (char=? c #\newline))) (loop)))) (skip-space s)))))

(define (read-hex s)
  (let* ((a (next-byte s)) (b (next-byte s))
         (n (and a b (string->number (string a b) 16))))
    (if (not n) (bad "syntax error: \\x wants two hexadecimal digits"))
    (integer->char n)))

(define (read-literal s)
  (let loop ((acc '()))
    (if (> (length acc) literal-limit) (bad "syntax error: string literal too long"))
    (let ((c (next-byte s)))
      (cond ((not c) (bad "syntax error: unterminated string"))
            ((char=? c #\") (list->string (reverse acc)))
            ((char=? c #\\)
             (let ((e (next-byte s)))
               (loop (cons (case e
                             ((#\n) #\newline) ((#\t) #\tab) ((#\r) #\return)
                             ((#\x #\X) (read-hex s))
                             ((#f) (bad "syntax error: unterminated string"))
                             ((#\0 #\1 #\2 #\3 #\4 #\5 #\6 #\7) (bad "octal escapes differ between readers"))
                             (else e))
                           acc))))
            (else (loop (cons c acc)))))))

(define (read-atom s)
  (let loop ((acc '()))
    (let ((c (peek-byte s)))
      (if (and c (not (memv c delimiters)))
          (begin (next-byte s) (loop (cons c acc)))
          (let ((text (list->string (reverse acc))))
            (cond ((string=? text "#t") #t)
                  ((string=? text "#f") #f)
                  ((string-prefix? "#" text) (bad "syntax error: undefined sharp expression"))
                  ((string->number text) => identity)
                  (else (string->symbol text))))))))

(define eof-mark (list 'eof))
(define (read-form s)
  (skip-space s)
  (let ((c (peek-byte s)))
    (cond ((not c) eof-mark)
          ((char=? c #\() (next-byte s) (read-rest s))
          ((char=? c #\)) (bad "syntax error: unexpected )"))
          ((char=? c #\') (next-byte s) (list 'quote (read-form s)))
          ((char=? c #\") (next-byte s) (read-literal s))
          (else (read-atom s)))))

(define (read-rest s)
  (skip-space s)
  (let ((c (peek-byte s)))
    (cond ((not c) (bad "syntax error: missing )"))
          ((char=? c #\)) (next-byte s) '())
          (else (let ((form (read-form s))) (cons form (read-rest s)))))))

;; --- operations: name, parent, own default or #f, filter types -----------------------------------------
(define base '(debug-mode entitlement extension process))
(define file-f (append '(path file-mode vnode-type device) base))
(define net-f (append '(socket network path file-mode vnode-type) base))
(define posix-f (cons 'posix-ipc base))
(define operation-table
  `((default #f deny ,base)
    (file* default #f ,file-f)
    ,@(map (lambda (n) (list n 'file* #f file-f))
           '(file-chroot file-mknod file-mount file-revoke file-search file-unmount file-read* file-write*))
    (file-issue-extension file* #f ,(cons 'extension-class file-f))
    (file-map-executable file* allow ,file-f)
    (file-ioctl file* #f ,(cons 'ioctl file-f))
    ,@(map (lambda (n) (list n 'file-read* #f (cons 'xattr file-f))) '(file-read-data file-read-metadata file-read-xattr))
    ,@(map (lambda (n) (list n 'file-write* #f (cons 'xattr file-f)))
           '(file-write-create file-write-data file-write-flags file-write-mode file-write-owner file-write-setugid
             file-write-times file-write-unlink file-write-xattr))
    ,@(map (lambda (n) (list n 'default #f base)) '(ipc* lsopen mach* pseudo-tty system* device* iokit* hid-control))
    (process* default #f ,(append '(path file-mode) base))
    (device-microphone device* #f ,base) (device-camera device* #f ,base)
    (load-unsigned-code default #f ,(cons 'path base))
    (job-creation default deny ,(cons 'path base))
    (appleevent-send default #f ,(cons 'ae-destination base))
    (authorization-right-obtain default #f ,(cons 'auth-right-name base))
    (distributed-notification-post default #f ,(cons 'notification base))
    (ipc-posix* ipc* #f ,posix-f) (ipc-posix-sem ipc-posix* #f ,posix-f) (ipc-posix-shm* ipc-posix* #f ,posix-f)
    (ipc-posix-shm-read* ipc-posix-shm* #f ,posix-f) (ipc-posix-shm-write* ipc-posix-shm* #f ,posix-f)
    ,@(map (lambda (n) (list n 'ipc-posix-shm-read* #f posix-f)) '(ipc-posix-shm-read-data ipc-posix-shm-read-metadata))
    ,@(map (lambda (n) (list n 'ipc-posix-shm-write* #f posix-f))
           '(ipc-posix-shm-write-create ipc-posix-shm-write-data ipc-posix-shm-write-unlink))
    (ipc-sysv* ipc* #f ,base)
    ,@(map (lambda (n) (list n 'ipc-sysv* #f base)) '(ipc-sysv-msg ipc-sysv-sem ipc-sysv-shm))
    (mach-lookup mach* #f ,(cons 'mach base)) (mach-register mach* #f ,(cons 'mach base))
    ,@(map (lambda (n) (list n 'mach* #f (append '(path target) base))) '(mach-priv* mach-task-name mach-bootstrap))
    ,@(map (lambda (n) (list n 'mach-priv* #f (append '(path target) base))) '(mach-priv-task-port mach-priv-host-port))
    (network* default #f ,net-f) (network-inbound network* #f ,net-f) (network-outbound network* #f ,net-f)
    (network-bind network-inbound #f ,net-f)
    (user-preference* default #f ,(cons 'preference-domain base))
    ,@(map (lambda (n) (list n 'user-preference* #f (cons 'preference-domain base))) '(user-preference-read user-preference-write))
    (process-exec* process* #f ,(append '(path file-mode) base))
    (process-exec-interpreter process-exec* #f ,(append '(path file-mode) base))
    (process-fork process* #f ,base)
    (process-info* process* allow ,(cons 'target base))
    ,@(map (lambda (n) (list n 'process-info* #f (cons 'target base)))
           '(process-info-listpids process-info-pidinfo process-info-pidfdinfo process-info-pidfileportinfo
             process-info-setcontrol process-info-dirtycontrol process-info-rusage))
    (signal default #f ,(cons 'target base))
    (sysctl* default #f ,(cons 'sysctl base)) (sysctl-read sysctl* #f ,(cons 'sysctl base)) (sysctl-write sysctl* #f ,(cons 'sysctl base))
    (system-socket system* #f ,(cons 'socket base))
    (system-privilege system* allow ,base)
    ,@(map (lambda (n) (list n 'system* #f (append '(fsctl info mac) base)))
           '(system-fsctl system-info system-acct system-audit system-debug system-reboot system-set-time system-swap))
    ,@(map (lambda (n) (list n 'iokit* #f (append '(iokit-user-client iokit-property) base))) '(iokit-open iokit-set-properties))
    (iokit-get-properties iokit* allow ,(append '(iokit-user-client iokit-property) base))))

;; Names that the table of 2015 does not have.
(define newer-operations
  `(,@(map (lambda (n) (list n 'file* #f file-f)) '(file-test-existence file-link file-clone))
    (system-mac-syscall system* #f ,(append '(fsctl info mac) base))
    ,@(map (lambda (n) (list n 'iokit-open #f (append '(iokit-user-client iokit-property) base)))
           '(iokit-open-user-client iokit-open-service))))
(define newer-filters '((posix-ipc ipc-posix-name-prefix) (iokit-user-client iokit-registry-entry-class-prefix)))

(define ops #f)     ; name -> #(parent filter-types rules), rules newest first, the terminal last
(define (define-operation! name parent default filters)
  (hashq-set! ops name (vector parent filters (list (if default (list #t default "own default") (list #f parent))))))

;; --- filters ------------------------------------------------------------------------------------------
(define (flt type name args) (list 'filter type name args))
(define (filter? x) (and (pair? x) (eq? (car x) 'filter)))
(define (strings! type args)
  (if (null? args) (bad "malformed " type " filter"))
  (for-each (lambda (a)
              (if (not (string? a))
                  (bad "invalid data type of " type " filter; expected pattern, got " (if (boolean? a) "boolean" "other"))))
            args))
(define (string-filter type name) (lambda args (strings! type args) (flt type name args)))

(define (split-address a)
  (let ((i (string-rindex a #\:)))
    (if i (cons (substring a 0 i) (substring a (+ i 1))) (bad "malformed network address: " a))))
(define (check-address a)
  (let* ((parts (split-address a)) (port (cdr parts)) (n (string->number port)))
    (if (not (member (car parts) '("*" "localhost"))) (bad "host must be * or localhost in network address: " a))
    (if (not (or (string=? port "*") (and n (exact-integer? n) (<= 0 n 65535)))) (bad "malformed network address: " a))))
(define (network-filter side)
  (lambda args
    (match args
      (((? symbol? protocol) . rest)
       (cond ((eq? protocol 'unix-socket) (if (and (pair? rest) (filter? (car rest))) (car rest) (flt 'path 'any-path '())))
             ((memq protocol '(ip ip4 ip6 tcp tcp4 tcp6 udp udp4 udp6))
              (for-each check-address rest)
              (flt 'network side (cons protocol (if (null? rest) '("*:*") rest))))
             (else (bad "malformed network filter"))))
      (_ (bad "malformed network filter")))))

(define (combination name least most)
  (lambda args
    (if (or (< (length args) least) (and most (> (length args) most))) (bad "wrong number of filters for " name))
    (for-each (lambda (a) (if (not (filter? a)) (bad "arguments to " name " must be filters"))) args)
    (flt 'combination name args)))

(define (subpath-filter . args)
  (strings! 'path args)
  (for-each (lambda (a)
              (if (not (string-prefix? "/" a)) (bad "path must start with a /: " a))
              (if (and (> (string-length a) 1) (string-suffix? "/" a)) (bad "subpaths must not end with a slash")))
            args)
  (flt 'path 'subpath args))

(define targets '(self pgrp others children same-sandbox))
(define (target-filter . args)
  (for-each (lambda (a) (if (not (memq a targets)) (bad "malformed target filter"))) args)
  (flt 'target 'target args))

;; --- matching -----------------------------------------------------------------------------------------
(define (under? p d) (or (string=? p d) (string=? d "/") (string-prefix? (string-append d "/") p)))
(define (any-value ctx key test args) (let ((v (assq-ref ctx key))) (and v (any (lambda (a) (test a v)) args))))
(define (address-matches? a value)
  (let ((want (split-address a)) (have (split-address value)))
    (and (or (string=? (car want) "*") (member (car have) '("localhost" "127.0.0.1" "::1")))
         (or (string=? (cdr want) "*") (string=? (cdr want) (cdr have))))))

(define (matches? f ctx)
  (match f
    (('filter 'combination 'require-any fs) (any (lambda (x) (matches? x ctx)) fs))
    (('filter 'combination 'require-all fs) (every (lambda (x) (matches? x ctx)) fs))
    (('filter 'combination 'require-not (x)) (not (matches? x ctx)))
    (('filter 'path 'literal args) (any-value ctx 'path string=? args))
    (('filter 'path 'subpath args) (any-value ctx 'path (lambda (a v) (under? v a)) args))
    (('filter 'path 'prefix args) (any-value ctx 'path string-prefix? args))
    (('filter 'path 'any-path _) (and (assq-ref ctx 'path) #t))
    (('filter 'network side (protocol . addresses)) (any-value ctx side address-matches? addresses))
    (('filter (or 'vnode-type 'target) name args) (any-value ctx name (lambda (a v) (eq? a (string->symbol v))) args))
    (('filter 'ioctl _ args) (any-value ctx 'ioctl (lambda (a v) (equal? a (string->number v))) args))
    (('filter _ name args)
     (let ((s (symbol->string name)))
       (if (string-suffix? "-prefix" s)
           (any-value ctx (string->symbol (string-drop-right s 7)) string-prefix? args)
           (any-value ctx name equal? args))))))

;; --- allow, deny --------------------------------------------------------------------------------------
(define (check-filter f op types)
  (match f
    (('filter 'combination _ fs) (for-each (lambda (x) (check-filter x op types)) fs))
    (('filter type _ _) (if (not (memq type types)) (bad type " filter does not apply to " op " operation")))))

(define (check-modifier m action operations)
  (match (cadr m)
    ((or 'no-report 'no-log) (if (not (eq? action 'deny)) (bad "no-report modifier does not apply to allow action")))
    ('report (if (not (eq? action 'allow)) (bad "report modifier does not apply to deny action")))
    ('no-sandbox
     (if (not (and (eq? action 'allow) (every (lambda (o) (memq o '(process-exec* process-exec-interpreter))) operations)))
         (bad "no-sandbox modifier does not apply here")))
    (_ #t)))

(define (tagged? tag) (lambda (x) (and (pair? x) (eq? (car x) tag))))
(define (action name)
  (lambda args
    (let ((operations (map cadr (filter (tagged? 'operation) args)))
          (filters (filter filter? args))
          (modifiers (filter (tagged? 'modifier) args)))
      (if (not (= (length args) (+ (length operations) (length filters) (length modifiers)))) (bad "illegal argument to " name))
      (if (null? operations) (bad "at least one operation required"))
      (for-each (lambda (m) (check-modifier m name operations)) modifiers)
      (for-each
       (lambda (op)
         (let* ((v (hashq-ref ops op)) (rules (vector-ref v 2)))
           (for-each (lambda (f) (check-filter f op (vector-ref v 1))) filters)
           (vector-set! v 2 (if (null? filters)
                                (append (drop-right rules 1) (list (list #t name "no filter")))
                                (cons (list (flt 'combination 'require-any filters) name (show-rule name op filters)) rules)))))
       operations))))

(define (show-filter f)
  (match f
    (('filter 'combination name fs) (format #f "(~a~{ ~a~})" name (map show-filter fs)))
    (('filter _ name args) (format #f "(~a~{ ~s~})" name args))))
(define (show-rule name op filters) (format #f "(~a ~a~{ ~a~})" name op (map show-filter filters)))

(define (decide op ctx)
  (let ((v (hashq-ref ops op)))
    (if (not v) (bad "unknown operation " op))
    (let loop ((rules (vector-ref v 2)))
      (match (car rules)
        ((#f parent) (decide parent ctx))
        ((#t verdict why) (list verdict op why))
        ((f verdict text) (if (matches? f ctx) (list verdict op text) (loop (cdr rules))))))))

;; --- the names a profile can use: all others fail as "unbound variable", as on a Mac --------------------
(define params (make-hash-table))
(define scheme-names
  '(define quote if cond and or not begin let let* letrec lambda set! when string-append string-length substring
    string=? string? string->number number->string symbol->string + - * < > = <= >= list cons car cdr null? pair?
    list? length append reverse map for-each apply memq member assq eq? eqv? equal? zero? number? symbol? boolean?
    procedure?))

(define (make-environment old)
  (set! ops (make-hash-table))
  (let ((env (make-module)) (table (if old operation-table (append operation-table newer-operations))))
    (define (bind! name value) (module-define! env name value))
    (module-use! env (resolve-interface '(guile) #:select scheme-names))
    (for-each (lambda (row) (apply define-operation! row) (bind! (car row) (list 'operation (car row)))) table)
    (bind! 'process-exec (list 'operation 'process-exec*))
    (bind! 'ipc-posix-shm (list 'operation 'ipc-posix-shm*))
    (bind! 'allow (action 'allow))
    (bind! 'deny (action 'deny))
    (bind! 'debug (lambda _ #t))
    (bind! 'with (lambda (m . args) (list 'modifier m args)))
    (bind! 'param (lambda (k) (hash-ref params k #f)))
    (bind! 'defined? (lambda (s) (and (module-variable env s) #t)))
    (bind! 'import (lambda (p) (bad "unable to open " p)))
    (for-each (lambda (n) (bind! n (string-filter 'path 'literal))) '(literal path path-literal))
    (bind! 'prefix (string-filter 'path 'prefix))
    (bind! 'subpath subpath-filter)
    (bind! 'require-any (combination 'require-any 1 #f))
    (bind! 'require-all (combination 'require-all 1 #f))
    (bind! 'require-not (combination 'require-not 1 1))
    (for-each (lambda (n side) (bind! n (network-filter side))) '(local remote from to) '(local remote local remote))
    (for-each (lambda (s) (bind! s s))
              `(ip ip4 ip6 tcp tcp4 tcp6 udp udp4 udp6 unix-socket ,@targets send-signal report no-report no-log no-sandbox
                message REGULAR-FILE DIRECTORY BLOCK-DEVICE CHARACTER-DEVICE SYMLINK SOCKET FIFO TTY))
    (bind! 'target target-filter)
    (bind! 'vnode-type (lambda args (flt 'vnode-type 'vnode-type args)))
    (bind! 'extension (lambda args (flt 'extension 'extension args)))
    (bind! '_IO (lambda (group number) (+ number (* 256 (char->integer (string-ref group 0))))))
    (bind! 'ioctl-command (lambda args (flt 'ioctl 'ioctl-command args)))
    (for-each (match-lambda ((type . names) (for-each (lambda (n) (bind! n (string-filter type n))) names)))
              `((mach global-name global-name-prefix local-name xpc-service-name) (posix-ipc ipc-posix-name)
                (sysctl sysctl-name sysctl-name-prefix) (iokit-user-client iokit-user-client-class iokit-registry-entry-class)
                (xattr xattr) (preference-domain preference-domain) (ae-destination appleevent-destination)
                (network control-name) (notification notification-name) (process process-name)
                ,@(if old '() newer-filters)))
    env))

(define (run-profile text old)
  (let* ((env (make-environment old)) (source (make-source text)) (version #f))
    (module-define! env 'version (lambda (n) (if (memv n '(1 2 3)) (set! version n) (bad "unsupported version"))))
    (let loop ()
      (let ((form (read-form source)))
        (if (not (eq? form eof-mark))
            (begin
              (if (and (not version) (not (and (pair? form) (eq? (car form) 'version)))) (bad "profile does not start with (version 1)"))
              (catch #t (lambda () (eval form env))
                (lambda (key . rest)
                  (cond ((eq? key 'sbpl) (apply throw key rest))
                        ((eq? key 'unbound-variable) (bad "unbound variable: " (car (caddr rest))))
                        (else (bad (format #f "~a ~s" key rest))))))
              (loop)))))
    (if (not version) (bad "profile does not start with (version 1)"))
    (eval '(allow signal (target self)) env)))   ; Apple's implicit rule

;; --- front ends ---------------------------------------------------------------------------------------
(define (answer op ctx)
  (match (decide (if (eq? op 'process-exec) 'process-exec* op) ctx)
    ((verdict at why) (format #f "~a ~a ~a" verdict at (string-map (lambda (c) (if (char<? c #\space) #\? c)) why)))))

(define (decode text)
  (let loop ((chars (string->list text)) (acc '()))
    (match chars
      (() (list->string (reverse acc)))
      ((#\% a b . rest) (loop rest (cons (integer->char (string->number (string a b) 16)) acc)))
      ((c . rest) (loop rest (cons c acc))))))
(define (pairs words decoder)
  (map (lambda (w) (let ((i (string-index w #\=))) (cons (string->symbol (substring w 0 i)) (decoder (substring w (+ i 1)))))) words))

(define (serve)
  (let ((in (current-input-port)) (out (current-output-port)))
    (let loop ()
      (let ((line (read-line in)))
        (when (not (eof-object? line))
          (let ((reply
                 (catch 'sbpl
                   (lambda ()
                     (match (string-split line #\space)
                       (("profile" length . flags)
                        (let ((n (string->number length)))
                          (run-profile (if (= n 0) "" (bytevector->latin1 (get-bytevector-n in n))) (and (member "old" flags) #t))
                          "ok"))
                       (("ask" op . attributes) (answer (string->symbol op) (pairs attributes decode)))))
                   (lambda (key message) (string-append "error 65 " (string-map (lambda (c) (if (char<? c #\space) #\space c)) message))))))
            (display reply out) (newline out) (force-output out) (loop)))))))
(define (bytevector->latin1 bytes) (list->string (map integer->char (bytevector->u8-list bytes))))

(define (usage)
  (display "usage: sbpl.scm [--old] [-D K=V]... (-f FILE | -p TEXT) [--dump] [OPERATION KEY=VALUE...]\n" (current-error-port))
  (exit 64))
(define (dump)
  (hash-for-each (lambda (name v)
                   (for-each (match-lambda ((_ _ (? string? text)) (format #t "~a: ~a\n" name text)) (_ #t))
                             (reverse (vector-ref v 2))))
                 ops))
(define (read-file name) (bytevector->latin1 (call-with-input-file name (lambda (p) (let ((b (get-bytevector-all p))) (if (eof-object? b) #vu8() b))) #:binary #t)))

(define (main arguments)
  (let loop ((a arguments) (text #f) (old #f) (dumping #f))
    (match a
      (("--serve") (serve))
      (("--old" . r) (loop r text #t dumping))
      (("--dump" . r) (loop r text old #t))
      (("-D" kv . r)
       (let ((i (string-index kv #\=)))
         (if (not i) (usage))
         (hash-set! params (substring kv 0 i) (substring kv (+ i 1)))
         (loop r text old dumping)))
      (("-f" f . r) (loop r (read-file f) old dumping))
      (("-p" t . r) (loop r t old dumping))
      (rest
       (if (not text) (usage))
       (catch 'sbpl
         (lambda ()
           (run-profile text old)
           (if dumping (dump))
           (if (pair? rest) (begin (display (answer (string->symbol (car rest)) (pairs (cdr rest) identity))) (newline))))
         (lambda (key message)
           (format (current-error-port) "sandbox-exec: ~a\n" message)
           (exit 65)))))))

(for-each (lambda (p) (set-port-encoding! p "ISO-8859-1")) (list (current-input-port) (current-output-port)))
(main (cdr (command-line)))
