// The host functions that contracts can import, in all protocols (env.json of the latest host).

use crate::protocols::latest_host::call_macro_with_all_host_functions;
use std::{collections::HashMap, sync::LazyLock};

pub struct HostFunction {
    pub name: &'static str,
    /// Types of the host interface, such as `Val`, `U32Val` and `u64`.
    pub parameters: &'static [&'static str],
}

macro_rules! table {
    {
        $($(#[$of_module:meta])* mod $module:ident $module_text:literal {
            $($(#[$of_function:meta])* {
                $text:literal, $($least:literal)?, $($most:literal)?,
                fn $name:ident ($($argument:ident: $type:ty),*) -> $result:ty
            })*
        })*
    } => {
        const HOST_FUNCTIONS: &[(&str, &str, HostFunction)] = &[$($((
            $module_text,
            $text,
            HostFunction { name: stringify!($name), parameters: &[$(stringify!($type)),*] },
        ),)*)*];
    };
}
call_macro_with_all_host_functions! { table }

type Table = HashMap<(&'static str, &'static str), &'static HostFunction>;

static BY_IMPORT: LazyLock<Table> = LazyLock::new(|| {
    HOST_FUNCTIONS.iter().map(|(module, text, function)| ((*module, *text), function)).collect()
});

static BY_NAME: LazyLock<HashMap<&'static str, &'static HostFunction>> = LazyLock::new(|| {
    HOST_FUNCTIONS.iter().map(|(_, _, function)| (function.name, function)).collect()
});

/// The function that wasm imports by this module and name.
pub fn host_function(module: &str, text: &str) -> Option<&'static HostFunction> {
    BY_IMPORT.get(&(module, text)).copied()
}

/// Says whether contracts can call the function. The others are the host's own.
pub fn is_imported(name: &str) -> bool {
    BY_NAME.contains_key(name)
}
