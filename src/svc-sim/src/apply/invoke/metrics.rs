// `HostFunctionMetrics`: the values of stellar-core's `core_metrics` events.

use crate::xdr_codec::xdr::LedgerKey;

/// The metrics by the names that stellar-core gives them, in the order of the names.
macro_rules! metrics {
    ($($name:ident: $type:ty,)+) => {
        #[derive(Default)]
        pub struct Metrics {
            $(pub $name: $type,)+
        }

        impl Metrics {
            pub fn by_name(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name.into()),)+]
            }
        }
    };
}

metrics! {
    cpu_insn: u64,
    emit_event: u32,
    emit_event_byte: u32,
    ledger_read_byte: u32,
    ledger_write_byte: u32,
    max_emit_event_byte: u32,
    max_rw_code_byte: u32,
    max_rw_data_byte: u32,
    max_rw_key_byte: u32,
    mem_byte: u64,
    read_code_byte: u32,
    read_data_byte: u32,
    read_entry: u32,
    read_key_byte: u32,
    write_code_byte: u32,
    write_data_byte: u32,
    write_entry: u32,
    // stellar-core reports this metric and never adds to it.
    write_key_byte: u32,
}

impl Metrics {
    pub fn note_disk_read(&mut self, key: &LedgerKey, key_size: u32, entry_size: u32) {
        self.read_entry += 1;
        self.read_key_byte += key_size;
        self.ledger_read_byte += entry_size;
        match key {
            LedgerKey::ContractCode(_) => self.read_code_byte += entry_size,
            _ => self.read_data_byte += entry_size,
        }
        self.note_largest(key, key_size, entry_size);
    }

    pub fn note_write(&mut self, key: &LedgerKey, key_size: u32, entry_size: u32) {
        self.write_entry += 1;
        self.ledger_write_byte += entry_size;
        match key {
            LedgerKey::ContractCode(_) => self.write_code_byte += entry_size,
            _ => self.write_data_byte += entry_size,
        }
        self.note_largest(key, key_size, entry_size);
    }

    fn note_largest(&mut self, key: &LedgerKey, key_size: u32, entry_size: u32) {
        self.max_rw_key_byte = self.max_rw_key_byte.max(key_size);
        let largest = match key {
            LedgerKey::ContractCode(_) => &mut self.max_rw_code_byte,
            _ => &mut self.max_rw_data_byte,
        };
        *largest = (*largest).max(entry_size);
    }

    pub fn note_event(&mut self, size: u32) {
        self.emit_event += 1;
        self.emit_event_byte += size;
        self.max_emit_event_byte = self.max_emit_event_byte.max(size);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_metrics_are_in_the_order_of_their_names() {
        assert!(super::Metrics::default().by_name().is_sorted());
    }
}
