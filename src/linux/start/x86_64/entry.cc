// Where the kernel lets sbx begin: the prelude, then the C library as if nothing had been.
__asm__(R"(
    .pushsection .text.sbx_entry, "ax", @progbits
    .globl sbx_entry
    .type sbx_entry, @function
sbx_entry:
    endbr64
    xorl %ebp, %ebp
    movq %rdx, %rbx
    movq %rsp, %r12
    movq %rsp, %rdi
    andq $-16, %rsp
    call sbx_prelude
    movq %r12, %rsp
    movq %rbx, %rdx
    jmp _start
    .size sbx_entry, . - sbx_entry
    .popsection
)");
