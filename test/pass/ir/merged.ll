; Neighbours have one test (src/pass/merged.h); when it misses, each is checked by itself, or all together where a report
; would not tell them apart.
; PARTS inline,covered,merged
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @other()

; @pair: test read4x2_leaf
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
; @call: func_entry write4 write4
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
; @apart: test write4x2_leaf test write4_leaf
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

; Of one line.
; @one_line: test write2x4_leaf
define void @one_line(ptr %p) sanitize_thread !dbg !3 {
  store i16 1, ptr %p, align 8, !dbg !4
  %q = getelementptr i8, ptr %p, i64 2
  store i16 1, ptr %q, align 2, !dbg !4
  %r = getelementptr i8, ptr %p, i64 4
  store i16 1, ptr %r, align 4, !dbg !4
  %s = getelementptr i8, ptr %p, i64 6
  store i16 1, ptr %s, align 2, !dbg !4
  ret void, !dbg !4
}

; Of two lines.
; @two_lines: test write4_leaf write4_leaf
define void @two_lines(ptr %p) sanitize_thread !dbg !6 {
  store i32 1, ptr %p, align 8, !dbg !7
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4, !dbg !8
  ret void, !dbg !8
}

; Of one line, and of different sizes.
; @two_sizes: test write2_leaf write1_leaf write1_leaf
define void @two_sizes(ptr %p) sanitize_thread !dbg !9 {
  store i16 1, ptr %p, align 8, !dbg !10
  %q = getelementptr i8, ptr %p, i64 2
  store i8 1, ptr %q, align 2, !dbg !10
  %r = getelementptr i8, ptr %p, i64 3
  store i8 1, ptr %r, align 1, !dbg !10
  ret void, !dbg !10
}

; Of one line, and the later one lies lower: its race would be reported second.
; @backwards: test write4_leaf write4_leaf
define void @backwards(ptr %p) sanitize_thread !dbg !11 {
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4, !dbg !12
  store i32 1, ptr %p, align 8, !dbg !12
  ret void, !dbg !12
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "merged.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "one_line", file: !1, line: 1, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 2, scope: !3)
!6 = distinct !DISubprogram(name: "two_lines", file: !1, line: 4, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 5, scope: !6)
!8 = !DILocation(line: 6, scope: !6)
!9 = distinct !DISubprogram(name: "two_sizes", file: !1, line: 8, unit: !0, spFlags: DISPFlagDefinition)
!10 = !DILocation(line: 9, scope: !9)
!11 = distinct !DISubprogram(name: "backwards", file: !1, line: 11, unit: !0, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 12, scope: !11)
