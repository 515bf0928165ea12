//! The work queue of a local run: one thread of this process per slot.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use smalt_driver::process::Interrupt;

use super::event::Event;
use super::processors::Processors;
use super::queue::{Queue, Work};
use super::slot::Slot;
use super::slot_config::SlotConfig;

/// Slots; each is a thread that owns its engines.
#[derive(Debug)]
pub struct LocalWorkers {
    workers: Vec<LocalWorker>,
    interrupt: Interrupt,
    _processors: Processors,
}

#[derive(Debug)]
struct LocalWorker {
    work: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
    state: WorkerState,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WorkerState {
    Idle,
    Busy,
    Gone,
}

impl LocalWorkers {
    /// Starts slots on these processors.
    ///
    /// # Errors
    /// If the system is out of threads or descriptors.
    pub fn start(
        slots: usize,
        terms: &Arc<SlotConfig>,
        events: &Sender<Event>,
        processors: Processors,
    ) -> std::io::Result<LocalWorkers> {
        let interrupt = Interrupt::new()?;
        let mut workers = Vec::new();
        for worker in 0..slots {
            let (work, queue) = mpsc::channel();
            let bound = processors.of_slot(worker).map(<[usize]>::to_vec);
            let slot = Slot::new(worker, Arc::clone(terms), events.clone(), interrupt.clone());
            let thread = thread::Builder::new()
                .name(format!("slot {worker}"))
                .spawn(move || slot.run(&queue, bound))?;
            workers.push(LocalWorker { work: Some(work), thread: Some(thread), state: WorkerState::Idle });
        }
        Ok(LocalWorkers { workers, interrupt, _processors: processors })
    }
}

impl Queue for LocalWorkers {
    fn capacity(&self) -> usize {
        self.workers
            .iter()
            .filter(|worker| worker.state == WorkerState::Idle && worker.work.is_some())
            .count()
    }

    fn submit(&mut self, work: Work) {
        if let Some(worker) = self.workers.iter_mut().find(|worker| worker.state == WorkerState::Idle)
            && let Some(sender) = &worker.work
            && sender.send(work).is_ok()
        {
            worker.state = WorkerState::Busy;
        }
    }

    fn acknowledge(&mut self, worker: usize, _pair: u32) {
        if self.workers[worker].state == WorkerState::Busy {
            self.workers[worker].state = WorkerState::Idle;
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

    fn worker_left(&mut self, worker: usize) {
        let worker = &mut self.workers[worker];
        worker.state = WorkerState::Gone;
        if let Some(thread) = worker.thread.take() {
            // The thread printed its panic, and its games stay unfinished.
            let _ = thread.join();
        }
    }

    fn slots(&self) -> usize {
        self.workers.len()
    }

    fn workers(&self) -> usize {
        self.workers.iter().filter(|worker| worker.state != WorkerState::Gone).count()
    }
}
