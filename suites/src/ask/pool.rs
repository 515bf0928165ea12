//! A pool of workers: each thread runs one engine process and takes the next problem when it is free. Answers are
//! returned in suite order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{Scope, ScopedJoinHandle};

use smalt_driver::Engine;
use smalt_driver::process::Interrupt;
use smalt_workbench::engine_files::EngineFiles;

use super::worker::{Stopped, SuiteWorker};
use super::{AnswerFailure, EngineAnswer};
use crate::plan::{Plan, SuiteEntrant};
use crate::suite::Problem;

/// Consecutive faults after which an engine is disqualified.
const MOST_FAULTS: u32 = 5;

/// Answers to all questions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SuiteAnswers {
    /// Answers in problem order; `None` where missing.
    pub answers: Vec<Option<EngineAnswer>>,
    pub outcome: SuiteOutcome,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SuiteOutcome {
    /// All questions were asked.
    Complete,
    /// Stopped by the user.
    Interrupted,
    /// The engine cannot be started, or failed too often; the text follows its name.
    Disqualified(String),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerProgress<'a> {
    /// Index of the problem.
    pub index: usize,
    /// All answers so far, including this one, in problem order.
    pub answers: &'a [Option<EngineAnswer>],
}

/// The processes of one engine, each with its own thread. A process starts with its first question and serves all
/// suites until the pool is dismissed.
pub(crate) struct WorkerPool<'scope, 'env: 'scope> {
    entrant: &'env SuiteEntrant,
    plan: &'env Plan,
    interrupt: &'env Interrupt,
    scope: &'scope Scope<'scope, 'env>,
    /// An engine already running, until a worker takes it over.
    first: Option<Box<dyn Engine>>,
    files: Option<Arc<EngineFiles>>,
    workers: Vec<PoolThread<'scope, 'env>>,
}

/// A worker's thread and its channel; the thread ends when the channel is closed.
struct PoolThread<'scope, 'env: 'scope> {
    line: Sender<PoolQuestion<'env>>,
    thread: ScopedJoinHandle<'scope, ()>,
}

/// A question in progress, with the channel for its answer.
struct PoolQuestion<'env> {
    index: usize,
    problem: &'env Problem,
    reply: Sender<WorkerEvent<'env>>,
}

/// Answer of a worker's thread. It returns the question's channel, on which the next answer may come.
struct WorkerEvent<'env> {
    worker: usize,
    question: PoolQuestion<'env>,
    result: Result<EngineAnswer, Stopped>,
}

impl<'scope, 'env> WorkerPool<'scope, 'env> {
    /// A pool for this engine; its first process may already run. It gives up if the files change.
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        entrant: &'env SuiteEntrant,
        plan: &'env Plan,
        interrupt: &'env Interrupt,
        first: Option<Box<dyn Engine>>,
        files: Option<Arc<EngineFiles>>,
    ) -> WorkerPool<'scope, 'env> {
        WorkerPool { entrant, plan, interrupt, scope, first, files, workers: Vec::new() }
    }

    /// Asks the problems of these indexes, in this order, several at a time.
    pub(crate) fn ask(
        &mut self,
        problems: &'env [Problem],
        indexes: &[usize],
        mut progress: impl FnMut(AnswerProgress<'_>),
    ) -> SuiteAnswers {
        let mut run = SuiteRun::new(problems, indexes);
        let wanted = self.plan.concurrency.get().min(indexes.len());
        while self.workers.len() < wanted {
            self.spawn_worker();
        }
        let (reply, events) = mpsc::channel();
        for worker in 0..wanted {
            self.hand_out(worker, &mut run, reply.clone());
        }
        // Every open question has a sender: the loop ends when none is left.
        drop(reply);
        for WorkerEvent { worker, question: PoolQuestion { index, reply, .. }, result } in events {
            match result {
                Ok(answer) => {
                    run.note(&answer);
                    // Send the next question first, so that no engine waits while the answer is processed.
                    self.hand_out(worker, &mut run, reply);
                    run.answers[index] = Some(answer);
                    progress(AnswerProgress { index, answers: &run.answers });
                }
                Err(reason) => run.stop(index, reason),
            }
        }
        run.conclude()
    }

    /// Quits all engines and waits for their exit.
    pub(crate) fn dismiss(self) {
        if let Some(mut unneeded) = self.first {
            unneeded.quit();
        }
        let leaving: Vec<_> = self.workers.into_iter().map(|PoolThread { line: _, thread }| thread).collect();
        for thread in leaving {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }

    fn spawn_worker(&mut self) {
        let (line, inbox) = mpsc::channel();
        let worker =
            SuiteWorker::new(self.plan, self.entrant, self.interrupt, self.first.take(), self.files.clone());
        let number = self.workers.len();
        let thread = self.scope.spawn(move || work(number, worker, &inbox));
        self.workers.push(PoolThread { line, thread });
    }

    fn hand_out(&self, worker: usize, run: &mut SuiteRun<'env>, reply: Sender<WorkerEvent<'env>>) {
        let Some(index) = run.next_question() else { return };
        let question = PoolQuestion { index, problem: &run.problems[index], reply };
        // The send fails only if the thread panicked, which is reported when it is joined.
        let _ = self.workers[worker].line.send(question);
    }
}

/// The loop of one worker: ends when the channel is closed.
fn work(number: usize, mut worker: SuiteWorker<'_>, inbox: &Receiver<PoolQuestion<'_>>) {
    for question in inbox {
        let result = worker.ask(question.problem);
        let reply = question.reply.clone();
        // The coordinator receives until all questions are back.
        let _ = reply.send(WorkerEvent { worker: number, question, result });
    }
    worker.quit();
}

/// State of a run, changed only by events.
struct SuiteRun<'env> {
    problems: &'env [Problem],
    answers: Vec<Option<EngineAnswer>>,
    /// Questions still to ask, in this order.
    waiting: VecDeque<usize>,
    interrupted: bool,
    last_words: Option<String>,
    faults_running: u32,
}

impl<'env> SuiteRun<'env> {
    fn new(problems: &'env [Problem], indexes: &[usize]) -> SuiteRun<'env> {
        let waiting = indexes.iter().copied().collect();
        let answers = vec![None; problems.len()];
        SuiteRun { problems, answers, waiting, interrupted: false, last_words: None, faults_running: 0 }
    }

    fn next_question(&mut self) -> Option<usize> {
        let is_over = self.interrupted || self.faults_running >= MOST_FAULTS;
        if is_over { None } else { self.waiting.pop_front() }
    }

    /// Counts an answer or fault.
    fn note(&mut self, answer: &EngineAnswer) {
        match &answer.outcome {
            Err(AnswerFailure::Fault(fault)) => {
                self.faults_running += 1;
                if self.faults_running == MOST_FAULTS {
                    self.last_words = Some(format!(
                        "failed at {MOST_FAULTS} consecutive positions: the last time it {fault}"
                    ));
                }
            }
            Ok(_) | Err(_) => self.faults_running = 0,
        }
    }

    /// Ends a worker whose question had no answer.
    fn stop(&mut self, index: usize, reason: Stopped) {
        match reason {
            Stopped::GivenUp(words) => {
                self.waiting.push_front(index);
                self.last_words = Some(words);
            }
            Stopped::Interrupted => self.interrupted = true,
        }
    }

    fn conclude(self) -> SuiteAnswers {
        let outcome = match self.last_words {
            _ if self.interrupted => SuiteOutcome::Interrupted,
            Some(words) if !self.waiting.is_empty() => SuiteOutcome::Disqualified(words),
            _ => SuiteOutcome::Complete,
        };
        SuiteAnswers { answers: self.answers, outcome }
    }
}
