// The module cache of hosts from protocol 23. It is kept for the life of the process, because
// parsing wasm costs more than most invocations. To each invocation it must look like the ledger's
// own cache (in stellar-core all code that was live at the end of the previous ledger), because a
// miss is metered.

use super::super::soroban_env_host::{
    budget::{AsBudget, Budget},
    xdr::{ContractCostParams, Hash},
    CompilationContext, Error, ErrorHandler, HostError, ModuleCache, Val,
};
use crate::hosts::interface::HostInput;
use std::cell::RefCell;

/// The cache is emptied above this many bytes of wasm, which bounds the memory of `serve`.
const CACHE_LIMIT_BYTES: usize = 64 * 1024 * 1024;

/// Parsing is not metered: stellar-core parses outside any transaction's budget.
#[derive(Clone)]
struct UnmeteredContext(Budget);

impl AsBudget for UnmeteredContext {
    fn as_budget(&self) -> &Budget {
        &self.0
    }
}

impl ErrorHandler for UnmeteredContext {
    fn map_err<T, E>(&self, result: Result<T, E>) -> Result<T, HostError>
    where
        Error: From<E>,
        E: core::fmt::Debug,
    {
        result.map_err(|e| HostError::from(Error::from(e)))
    }

    fn error(&self, error: Error, _message: &str, _args: &[Val]) -> HostError {
        HostError::from(error)
    }
}

impl CompilationContext for UnmeteredContext {}

struct Cache {
    modules: ModuleCache,
    wasm_bytes: usize,
}

thread_local! {
    static CACHE: RefCell<Option<Cache>> = const { RefCell::new(None) };
}

fn unmetered_context() -> Result<UnmeteredContext, HostError> {
    let no_costs = || ContractCostParams(Default::default());
    Ok(UnmeteredContext(Budget::try_from_configs(u64::MAX, u64::MAX, no_costs(), no_costs())?))
}

/// Adds the footprint's cached code to the cache, and removes what the ledger's cache did not have.
///
/// # Errors
/// A HostError when the engine cannot be built. Code that does not parse is left out, as in
/// stellar-core, and a call of it fails inside the host.
pub fn prepare_modules(input: &HostInput) -> Result<ModuleCache, HostError> {
    CACHE.with_borrow_mut(|slot| {
        if slot.as_ref().is_some_and(|c| c.wasm_bytes > CACHE_LIMIT_BYTES) {
            *slot = None;
        }
        if slot.is_none() {
            let modules = ModuleCache::new(&unmetered_context()?)?;
            *slot = Some(Cache { modules, wasm_bytes: 0 });
        }
        let cache = slot.as_mut().expect("filled above");
        for hash in input.uncached_modules {
            cache.modules.remove_module(&Hash(*hash))?;
        }
        for (hash, wasm) in input.cached_modules {
            if !cache.modules.contains_module(&Hash(*hash))? {
                // Code that does not parse is left out.
                let _ = cache.modules.parse_and_cache_module_simple(
                    &unmetered_context()?,
                    super::super::PROTOCOL,
                    wasm,
                );
                cache.wasm_bytes += wasm.len();
            }
        }
        Ok(cache.modules.clone())
    })
}
