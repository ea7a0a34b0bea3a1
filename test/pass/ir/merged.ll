; Neighbours have one test (src/pass/merged.h); when it misses, each is checked by itself.
; PARTS inline,covered,merged
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @other()

; @pair: test read4_leaf read4_leaf
define i32 @pair(ptr %p) sanitize_thread {
  %x = load i32, ptr %p, align 8
  %q = getelementptr i8, ptr %p, i64 4
  %y = load i32, ptr %q, align 4
  %z = add i32 %x, %y
  ret i32 %z
}

; The first in the program is not the lowest; bytes make a word; the rest has a test of its own.
; @bytes: test write1_leaf write1_leaf write2_leaf test write1_leaf
define void @bytes(ptr %p) sanitize_thread {
  %a = getelementptr i8, ptr %p, i64 1
  %b = getelementptr i8, ptr %p, i64 2
  %c = getelementptr i8, ptr %p, i64 4
  store i8 1, ptr %a, align 1
  store i8 2, ptr %p, align 4
  store i16 3, ptr %b, align 2
  store i8 4, ptr %c, align 4
  ret void
}

; A gap between them.
; @gap: test read4_leaf test read4_leaf
define void @gap(ptr %p) sanitize_thread {
  %x = load i32, ptr %p, align 8
  %q = getelementptr i8, ptr %p, i64 8
  %y = load i32, ptr %q, align 4
  ret void
}

; A read and a write.
; @kinds: test read4_leaf test write4_leaf
define void @kinds(ptr %p) sanitize_thread {
  %x = load i32, ptr %p, align 8
  %q = getelementptr i8, ptr %p, i64 4
  store i32 %x, ptr %q, align 4
  ret void
}

; A call between them.
; @call: func_entry test write4 test write4
define void @call(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 8
  call void @other()
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4
  ret void
}

; An atomic operation between them, even a relaxed one.
; @atomic: func_entry test write4 atomic32_load test write4
define void @atomic(ptr %p, ptr %flag) sanitize_thread {
  store i32 1, ptr %p, align 8
  %f = load atomic i32, ptr %flag monotonic, align 4
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4
  ret void
}

; The second may be the same bytes as what stands between, whose line would be named.
; @order: test write4_leaf test write4_leaf test write4_leaf
define void @order(ptr %p, ptr %other) sanitize_thread {
  store i32 1, ptr %p, align 8
  store i32 2, ptr %other, align 4
  %q = getelementptr i8, ptr %p, i64 4
  store i32 3, ptr %q, align 4
  ret void
}

; What stands between is another variable.
; @apart: test write4_leaf write4_leaf test write4_leaf
@variable = internal global i32 0
define void @apart(ptr noalias %p) sanitize_thread {
  store i32 1, ptr %p, align 8
  store i32 2, ptr @variable, align 4
  %q = getelementptr i8, ptr %p, i64 4
  store i32 3, ptr %q, align 4
  ret void
}

; In another block.
; @blocks: test write4_leaf test write4_leaf
define void @blocks(ptr %p, i1 %c) sanitize_thread {
  store i32 1, ptr %p, align 8
  br i1 %c, label %then, label %end
then:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 3, ptr %q, align 4
  br label %end
end:
  ret void
}
