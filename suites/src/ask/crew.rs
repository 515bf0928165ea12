//! Several askers at once: each thread has a process of its own, gets a question when it is free, and reports what came
//! of it. One loop hands out questions in the order of the suite and puts the answers back into that order.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use smalt_driver::Engine;
use smalt_driver::process::Interrupt;

use super::Answer;
use super::asker::{Asker, Stopped};
use crate::plan::{Entrant, Plan};
use crate::suite::Problem;

/// What came of all questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The answers in the order of the problems; none where the question was not asked, or had no answer.
    pub answers: Vec<Option<Answer>>,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a run of questions ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All questions were asked.
    Complete,
    /// The user ended it.
    Interrupted,
    /// The engine would not start any more; what it did last.
    StruckOut(String),
}

/// One more answer.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The index of the problem.
    pub index: usize,
    /// What came of it.
    pub answer: &'a Answer,
}

/// What an asker's thread reports.
enum Event {
    Free { asker: usize },
    Answered { index: usize, answer: Answer },
    Stopped { index: usize, reason: Stopped },
}

/// What is asked, and whom.
#[derive(Clone, Copy, Debug)]
pub struct Questions<'a> {
    /// All problems.
    pub problems: &'a [Problem],
    /// Those that are asked: their indexes, in this order.
    pub indexes: &'a [usize],
    /// The engine.
    pub entrant: &'a Entrant,
    /// How it is asked.
    pub plan: &'a Plan,
}

/// Asks an engine, several positions at a time. The first of its processes may be there already.
pub fn ask_all(
    questions: Questions<'_>,
    mut first: Option<Box<dyn Engine>>,
    interrupt: &Interrupt,
    mut progress: impl FnMut(Progress<'_>),
) -> Asked {
    let Questions { problems, indexes, entrant, plan } = questions;
    let mut run = Run::new(problems.len(), indexes.iter().copied().collect());
    let askers = plan.concurrency.get().min(run.waiting.len());
    thread::scope(|scope| {
        let (sender, events) = mpsc::channel();
        let mut lines = Vec::new();
        for number in 0..askers {
            let (questions, inbox) = mpsc::channel();
            lines.push(Some(questions));
            let events = sender.clone();
            let engine = first.take();
            scope.spawn(move || {
                work(number, Asker::new(plan, entrant, interrupt, engine), problems, &inbox, &events);
            });
        }
        if let Some(mut unneeded) = first.take() {
            unneeded.quit();
        }
        // The loop ends when the last asker's thread has ended.
        drop(sender);
        for event in events {
            run.obey(event, &mut lines, &mut progress);
        }
    });
    run.conclude()
}

/// The life of one asker: it ends when no further question can come.
fn work(
    number: usize,
    mut asker: Asker<'_>,
    problems: &[Problem],
    inbox: &Receiver<usize>,
    events: &Sender<Event>,
) {
    let mut report = Event::Free { asker: number };
    while events.send(report).is_ok() {
        let Ok(index) = inbox.recv() else { break };
        match asker.ask(&problems[index]) {
            Ok(answer) => {
                // The coordinator outlives its askers.
                let _ = events.send(Event::Answered { index, answer });
                report = Event::Free { asker: number };
            }
            Err(reason) => {
                let _ = events.send(Event::Stopped { index, reason });
                return;
            }
        }
    }
    asker.quit();
}

/// The state of the run, changed only by events.
struct Run {
    answers: Vec<Option<Answer>>,
    /// The questions that are to be handed out, in this order.
    waiting: VecDeque<usize>,
    interrupted: bool,
    last_words: Option<String>,
}

impl Run {
    fn new(problems: usize, waiting: VecDeque<usize>) -> Run {
        Run { answers: vec![None; problems], waiting, interrupted: false, last_words: None }
    }

    fn obey(
        &mut self,
        event: Event,
        lines: &mut [Option<Sender<usize>>],
        progress: &mut impl FnMut(Progress<'_>),
    ) {
        match event {
            Event::Free { asker } => {
                let sent =
                    self.next_question().zip(lines[asker].as_ref()).map(|(index, line)| line.send(index));
                if sent.is_none_or(|sent| sent.is_err()) {
                    lines[asker] = None;
                }
            }
            Event::Answered { index, answer } => {
                progress(Progress { index, answer: &answer });
                self.answers[index] = Some(answer);
            }
            Event::Stopped { index, reason: Stopped::GivenUp(words) } => {
                self.waiting.push_front(index);
                self.last_words = Some(words);
            }
            Event::Stopped { reason: Stopped::Interrupted, .. } => self.interrupted = true,
        }
    }

    fn next_question(&mut self) -> Option<usize> {
        if self.interrupted { None } else { self.waiting.pop_front() }
    }

    fn conclude(self) -> Asked {
        let outcome = match self.last_words {
            _ if self.interrupted => Outcome::Interrupted,
            Some(words) if !self.waiting.is_empty() => Outcome::StruckOut(words),
            _ => Outcome::Complete,
        };
        Asked { answers: self.answers, outcome }
    }
}
