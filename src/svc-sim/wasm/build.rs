// The limits of an instance. A process has them from svc, an instance from its module.

const STACK_BYTES: u32 = 4 << 20;
const MEMORY_BYTES: u32 = 2 << 30;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-zstack-size={STACK_BYTES}");
    println!("cargo:rustc-cdylib-link-arg=--max-memory={MEMORY_BYTES}");
}
