// The ledger engine without threads and without processes, for WebAssembly. It folds ledgers as the
// other does. It runs no transaction, so a fold must not ask for that.

use super::{
    hosts::{Hosts, Program},
    Engine, Event, Messages, Room,
};
use std::{
    cell::RefCell,
    io::{self, Write},
    path::PathBuf,
    rc::Rc,
    sync::mpsc::channel,
};

pub struct Stepped {
    engine: Engine,
    messages: Messages,
    written: Written,
}

/// What the engine has written and nobody has taken yet.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Default for Stepped {
    fn default() -> Stepped {
        let (sender, events) = channel();
        let written = Written::default();
        let no_program = Program { path: PathBuf::new(), limits: vec![] };
        let hosts = Hosts::new(1, no_program, sender.clone());
        let engine = Engine::new((sender, events), hosts, Box::new(written.clone()));
        Stepped { engine, messages: Messages::default(), written }
    }
}

impl Stepped {
    /// Handles whole messages, as they would come on stdin. Returns what would be on stdout then.
    ///
    /// # Errors
    ///
    /// A message that cannot be read, and a fold that asks to run transactions.
    pub fn step(&mut self, mut messages: &[u8]) -> io::Result<Vec<u8>> {
        while let Some((message, ledger, size)) = self.messages.next(&mut messages)? {
            let room = Room { size, of: None };
            let mut next = Some(Event::Message(Box::new(message), ledger, room));
            while let Some(Event::Message(message, ledger, room)) = next {
                self.engine.take(*message, ledger, room)?;
                next = self.engine.backlog.pop_front();
            }
        }
        Ok(std::mem::take(&mut self.written.0.borrow_mut()))
    }
}
