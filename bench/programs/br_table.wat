;; An interpreter of byte code that runs n rounds of a guest program of 15 instructions.
;;
;; A guest instruction is four bytes: operation, destination, two operands; the 16 registers are words
;; at 0; the code is at 64. Register 15 counts the rounds down.
(module
  (memory 1)
  (data (i32.const 64)
    "\01\00\07\00" ;;  0  r0 = 7             before the first round
    "\01\01\03\00" ;;  1  r1 = 3
    "\02\02\00\01" ;;  2  r2 = r0 + r1       a round begins
    "\03\03\02\00" ;;  3  r3 = r2 - r0
    "\04\04\03\02" ;;  4  r4 = r3 ^ r2
    "\05\05\04\05" ;;  5  r5 = r4 << 5
    "\06\06\04\03" ;;  6  r6 = r4 >> 3
    "\04\00\05\06" ;;  7  r0 = r5 ^ r6
    "\07\07\00\02" ;;  8  r7 = r0 * r2
    "\0a\08\07\00" ;;  9  r8 = r7
    "\08\09\08\04" ;; 10  r9 = r8 & r4
    "\09\01\09\03" ;; 11  r1 = r9 | r3
    "\01\0a\01\00" ;; 12  r10 = 1
    "\0b\0b\0a\08" ;; 13  r11 = r10 < r8
    "\02\01\01\0b" ;; 14  r1 = r1 + r11
    "\03\0f\0f\0a" ;; 15  r15 = r15 - r10
    "\0c\02\0f\00" ;; 16  go to 2 if r15 is not zero
    "\00\00\00\00") ;; 17  stop
  (func (export "run") (param $n i32) (result i64)
    (local $pc i32) (local $d i32) (local $a i32) (local $b i32) (local $x i32)
    (i32.store (i32.const 60) (local.get $n))
    (loop $next
      (local.set $d (i32.shl (i32.load8_u offset=65 (local.get $pc)) (i32.const 2)))
      (local.set $a (i32.load8_u offset=66 (local.get $pc)))
      (local.set $b (i32.load8_u offset=67 (local.get $pc)))
      (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
      (block $done
        (block $jump (block $less (block $move (block $or (block $and (block $mul (block $shr (block $shl (block $xor (block $sub (block $add (block $const (block $stop
          (br_table $stop $const $add $sub $xor $shl $shr $mul $and $or $move $less $jump (i32.load8_u offset=60 (local.get $pc))))
          (return (i64.or (i64.shl (i64.load32_u (i32.const 0)) (i64.const 32)) (i64.load32_u (i32.const 4)))))
          (local.set $x (local.get $a)) (br $done))
          (local.set $x (i32.add (i32.load (i32.shl (local.get $a) (i32.const 2))) (i32.load (i32.shl (local.get $b) (i32.const 2))))) (br $done))
          (local.set $x (i32.sub (i32.load (i32.shl (local.get $a) (i32.const 2))) (i32.load (i32.shl (local.get $b) (i32.const 2))))) (br $done))
          (local.set $x (i32.xor (i32.load (i32.shl (local.get $a) (i32.const 2))) (i32.load (i32.shl (local.get $b) (i32.const 2))))) (br $done))
          (local.set $x (i32.shl (i32.load (i32.shl (local.get $a) (i32.const 2))) (local.get $b))) (br $done))
          (local.set $x (i32.shr_u (i32.load (i32.shl (local.get $a) (i32.const 2))) (local.get $b))) (br $done))
          (local.set $x (i32.mul (i32.load (i32.shl (local.get $a) (i32.const 2))) (i32.load (i32.shl (local.get $b) (i32.const 2))))) (br $done))
          (local.set $x (i32.and (i32.load (i32.shl (local.get $a) (i32.const 2))) (i32.load (i32.shl (local.get $b) (i32.const 2))))) (br $done))
          (local.set $x (i32.or (i32.load (i32.shl (local.get $a) (i32.const 2))) (i32.load (i32.shl (local.get $b) (i32.const 2))))) (br $done))
          (local.set $x (i32.load (i32.shl (local.get $a) (i32.const 2)))) (br $done))
          (local.set $x (i32.lt_u (i32.load (i32.shl (local.get $a) (i32.const 2))) (i32.load (i32.shl (local.get $b) (i32.const 2))))) (br $done))
        (if (i32.load (i32.shl (local.get $a) (i32.const 2)))
          (then (local.set $pc (local.get $d))))
        (br $next))
      (i32.store (local.get $d) (local.get $x))
      (br $next))
    (unreachable)))
