;; Optimizers let a branch carry a value to the end of its block, so that no variable has it: the
;; error is chosen by whether the entry exists.
(module
  (import "l" "0" (func $has_contract_data (param i64 i64) (result i64)))
  (memory (export "memory") 1)
  (func (export "cancel") (param $key i64) (result i64)
    (block $end (result i64)
      ;; Error(Contract, #10) unless the persistent storage has the key.
      (drop (br_if $end
        (i64.const 0xA00000003)
        (i64.eqz (call $has_contract_data (local.get $key) (i64.const 1)))))
      ;; Void
      (i64.const 2)))
  ;; Error(Contract, #10) for every argument.
  (func (export "never") (param $key i64) (result i64)
    (i64.const 0xA00000003)))
