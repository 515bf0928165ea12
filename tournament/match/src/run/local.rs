//! Workers as threads of this process.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use smalt_driver::process::Interrupt;

use super::event::Event;
use super::processors::Processors;
use super::queue::{Queue, Work};
use super::slot::{self, Slot};

/// Slots, each a long-lived thread: the engines that it starts live no longer than it does.
#[derive(Debug)]
pub struct Local {
    workers: Vec<Worker>,
    interrupt: Interrupt,
    _processors: Processors,
}

#[derive(Debug)]
struct Worker {
    work: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Idle,
    Busy,
    Gone,
}

impl Local {
    /// Starts so many slots on these processors.
    ///
    /// # Errors
    /// If the system has no more threads or descriptors.
    pub fn start(
        slots: usize,
        terms: &Arc<slot::Terms>,
        events: &Sender<Event>,
        processors: Processors,
    ) -> std::io::Result<Local> {
        let interrupt = Interrupt::new()?;
        let mut workers = Vec::new();
        for worker in 0..slots {
            let (work, queue) = mpsc::channel();
            let bound = processors.of_slot(worker).map(<[usize]>::to_vec);
            let slot = Slot::new(worker, Arc::clone(terms), events.clone(), interrupt.clone());
            let thread = thread::Builder::new()
                .name(format!("slot {worker}"))
                .spawn(move || slot.run(&queue, bound))?;
            workers.push(Worker { work: Some(work), thread: Some(thread), state: State::Idle });
        }
        Ok(Local { workers, interrupt, _processors: processors })
    }
}

impl Queue for Local {
    fn appetite(&self) -> usize {
        self.workers.iter().filter(|worker| worker.state == State::Idle && worker.work.is_some()).count()
    }

    fn offer(&mut self, work: Work) {
        if let Some(worker) = self.workers.iter_mut().find(|worker| worker.state == State::Idle)
            && let Some(sender) = &worker.work
            && sender.send(work).is_ok()
        {
            worker.state = State::Busy;
        }
    }

    fn acknowledge(&mut self, worker: usize, _pair: u32) {
        if self.workers[worker].state == State::Busy {
            self.workers[worker].state = State::Idle;
        }
    }

    fn cancel(&mut self) {
        self.interrupt.raise();
    }

    fn close(&mut self) {
        for worker in &mut self.workers {
            worker.work = None;
        }
    }

    fn forget(&mut self, worker: usize) {
        let worker = &mut self.workers[worker];
        worker.state = State::Gone;
        if let Some(thread) = worker.thread.take() {
            // A panic has been printed by its own thread, and shows as work that was never done.
            let _ = thread.join();
        }
    }

    fn slots(&self) -> usize {
        self.workers.len()
    }

    fn workers(&self) -> usize {
        self.workers.iter().filter(|worker| worker.state != State::Gone).count()
    }
}
