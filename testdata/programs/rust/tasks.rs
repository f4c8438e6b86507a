//! A list of tasks, read from text: vectors, strings, options, results, enums with data, iterators, closures.
#![allow(dead_code)]

use std::fmt;

#[derive(Clone)]
enum State {
    Open,
    Running { by: String, hours: u32 },
    Done(u64),
}

#[derive(Clone)]
struct Task {
    id: u32,
    title: String,
    state: State,
    parent: Option<Box<Task>>,
}

enum Problem {
    Empty,
    Number(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Problem::Empty => f.write_str("an empty line"),
            Problem::Number(text) => write!(f, "not a number: {}", text),
        }
    }
}

trait Cost {
    fn cost(&self) -> u64;
}

impl Cost for Task {
    fn cost(&self) -> u64 {
        match &self.state {
            State::Open => 0,
            State::Running { hours, .. } => u64::from(*hours) * 60,
            State::Done(minutes) => *minutes,
        }
    }
}

fn number(word: &str) -> Option<u32> {
    let mut n = 0;
    for c in word.chars() {
        n = n * 10 + c.to_digit(10)?;
    }
    Some(n)
}

fn parse(line: &str) -> Result<Task, Problem> {
    let mut words = line.split(' ');
    let first = words.next().filter(|w| !w.is_empty()).ok_or(Problem::Empty)?;
    let id = number(first).ok_or_else(|| Problem::Number(first.to_string()))?;
    let title = words.next().unwrap_or("untitled").to_string();
    let state = match (words.next(), words.next()) {
        (Some("done"), Some(n)) => State::Done(number(n).map_or(0, u64::from)),
        (Some(by), Some(n)) => State::Running { by: by.to_string(), hours: number(n).unwrap_or(0) },
        _ => State::Open,
    };
    Ok(Task { id, title, state, parent: None })
}

fn largest<T: Cost>(items: &[T]) -> Option<&T> {
    let mut best: Option<&T> = None;
    for item in items {
        let cost = item.cost();
        if best.map_or(true, |b| cost > b.cost()) {
            best = Some(item);
        }
    }
    best
}

fn main() {
    let lines = ["1 plan done 90", "2 bäcker ann 3", "3 paint", "x"];
    let mut tasks: Vec<Task> = Vec::new();
    let mut problems = Vec::new();
    for line in lines {
        match parse(line) {
            Ok(task) => tasks.push(task),
            Err(problem) => problems.push(problem),
        }
    }
    let first = tasks[0].clone();
    tasks[2].parent = Some(Box::new(first));
    let factor = 2;
    let scaled = |minutes: u64| minutes * factor;
    let costs: Vec<u64> = tasks.iter().map(|t| scaled(t.cost())).collect();
    let mut total = 0;
    for cost in &costs {
        total += cost;
    }
    let tail: &[u64] = &costs[1..];
    let pair = (tail.len(), 'ß');
    let best = largest(&tasks);
    println!("{} tasks after {}, total {}, best {}", tasks.len(), tasks[0].id, total, best.map_or("none", |t| t.title.as_str()));
    println!("{} {} {}", pair.0, pair.1, problems[0]);
}
