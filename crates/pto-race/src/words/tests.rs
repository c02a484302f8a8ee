//! What waits for words learn.

use super::*;

const EQUAL: u8 = 0;
const AT_LEAST: u8 = 3;
const WORD: Word = (0, 0);

/// A run of a few cores that only change and await words.
#[derive(Default)]
struct Run {
    log: WordLog,
    times: OrdMap<usize, u32>,
    values: OrdMap<Word, i64>,
}

impl Run {
    fn moment(&mut self, core: usize) -> WordMoment {
        let time = self.times.entry(core).or_default();
        *time += 1;
        let mut clock = Clock::default();
        clock.raise(scalar(core), *time);
        WordMoment { thread: scalar(core), time: *time, clock }
    }

    fn change(&mut self, core: usize, word: Word, change: WordChange) {
        let moment = self.moment(core);
        let value = self.values.entry(word).or_default();
        self.log.change((word, 4), Some(*value), change, moment);
        match change {
            WordChange::Set(n) => *value = n,
            WordChange::Add(n) => *value += n,
        }
    }

    fn wait(&mut self, core: usize, word: Word, cmp: u8, value: i64) {
        let moment = self.moment(core);
        let holds = self.values.get(&word).copied().unwrap_or(0);
        self.log.wait(
            &[FoundNumber { op: OpId::from_index(0), word, bytes: 4, number: holds, seen: Seen::Now }],
            &WordQuestion::Compared { cmp, value },
            &moment,
        );
    }

    /// How many steps of each core each wait knows to be done.
    fn solve(self, cores: usize) -> Vec<Vec<u32>> {
        let known = self.log.solve().known;
        known.iter().map(|clock| (0..cores).map(|c| clock.get(scalar(c))).collect()).collect()
    }
}

#[test]
fn a_later_message_is_not_known() {
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Set(1));
    run.change(0, WORD, WordChange::Set(2));
    run.wait(1, WORD, AT_LEAST, 1);
    run.wait(1, WORD, AT_LEAST, 2);
    assert_eq!(run.solve(2), [[1, 1], [2, 2]]);
}

#[test]
fn either_of_two_senders_may_have_been_first() {
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Add(1));
    run.change(1, WORD, WordChange::Add(1));
    run.wait(2, WORD, AT_LEAST, 1);
    run.wait(2, WORD, AT_LEAST, 2);
    assert_eq!(run.solve(3), [[0, 0, 1], [1, 1, 2]]);
}

#[test]
fn what_comes_later_in_the_run_counts_too() {
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Set(1));
    run.wait(2, WORD, AT_LEAST, 1);
    run.change(1, WORD, WordChange::Set(1));
    assert_eq!(run.solve(3), [[0, 0, 1]]);
}

#[test]
fn an_answer_keeps_the_next_message_back() {
    let (there, back) = ((0, 0), (1, 0));
    let mut run = Run::default();
    for _ in 0..2 {
        run.change(0, there, WordChange::Set(1));
        run.wait(1, there, EQUAL, 1);
        run.change(1, there, WordChange::Set(0));
        run.change(1, back, WordChange::Set(1));
        run.wait(0, back, EQUAL, 1);
        run.change(0, back, WordChange::Set(0));
    }
    let known = run.solve(2);
    assert_eq!(known, [[1, 1], [2, 3], [4, 4], [5, 6]]);
}

#[test]
fn rounds_of_a_counter_are_told_apart() {
    let words = [(0, 0), (1, 0), (2, 0)];
    let mut run = Run::default();
    for round in 1..=3 {
        for core in 0..3 {
            words.iter().for_each(|word| run.change(core, *word, WordChange::Add(1)));
        }
        words.iter().enumerate().for_each(|(core, word)| run.wait(core, *word, AT_LEAST, 3 * round));
    }
    let known = run.solve(3);
    // A core that continues knows that all others have started to signal.
    for (at, clock) in known.iter().enumerate() {
        let (round, core) = (at as u32 / 3, at % 3);
        let others = (0..3).filter(|other| *other != core);
        others.for_each(|other| assert!(clock[other] > 4 * round, "{known:?}"));
    }
}

#[test]
fn words_that_something_else_has_written_start_again() {
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Set(1));
    run.values.insert(WORD, 5);
    run.wait(1, WORD, AT_LEAST, 5);
    assert_eq!(run.solve(2), [[0, 1]]);
}

#[test]
fn a_word_may_change_between_its_load_and_the_question() {
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Set(1));
    let seen = run.log.seen(WORD, 4);
    run.change(0, WORD, WordChange::Set(2));
    let moment = run.moment(1);
    run.log.wait(
        &[FoundNumber { op: OpId::from_index(0), word: WORD, bytes: 4, number: 1, seen }],
        &WordQuestion::Compared { cmp: EQUAL, value: 1 },
        &moment,
    );
    assert_eq!(run.solve(2), [[1, 1]]);
}

impl Run {
    /// Stores a number of this many bytes.
    fn store(&mut self, core: usize, word: Word, bytes: u64, value: i64) {
        let moment = self.moment(core);
        self.log.change((word, bytes), None, WordChange::Set(value), moment);
    }

    /// Reads a number of this many bytes, which is the awaited one.
    fn read(&mut self, core: usize, word: Word, bytes: u64, number: i64) {
        let moment = self.moment(core);
        let found = FoundNumber { op: OpId::from_index(0), word, bytes, number, seen: Seen::Now };
        self.log.wait(&[found], &WordQuestion::Compared { cmp: EQUAL, value: number }, &moment);
    }
}

#[test]
fn a_part_of_a_word_tells_who_stored_the_word() {
    let mut run = Run::default();
    run.store(0, WORD, 8, 5 << 32);
    run.read(1, (0, 4), 4, 5);
    run.read(1, WORD, 4, 0);
    assert_eq!(run.solve(2), [[1, 1], [1, 2]]);
}

#[test]
fn the_half_that_every_store_leaves_as_it_was_tells_nothing() {
    let mut run = Run::default();
    run.store(0, WORD, 8, 5 << 32);
    run.read(1, WORD, 4, 0);
    assert_eq!(run.solve(2), [[0, 1]]);
}

#[test]
fn a_word_of_two_stores_tells_of_both() {
    let mut run = Run::default();
    run.store(0, WORD, 4, 1);
    run.store(1, (0, 4), 4, 2);
    run.read(2, WORD, 8, 1 | 2 << 32);
    assert_eq!(run.solve(3), [[1, 1, 1]]);
}

#[test]
fn bytes_that_are_stored_in_two_widths_tell_nothing() {
    let mut run = Run::default();
    run.store(0, WORD, 8, 1);
    run.read(1, WORD, 4, 1);
    run.store(0, WORD, 4, 1);
    let solved = run.log.solve();
    assert_eq!(solved.known[0].get(scalar(0)), 0);
    assert_eq!(solved.mixed, OrdSet::from([(OpId::from_index(0), WORD)]));
}

/// How many notifications another order loses.
fn lost(mut run: Run) -> usize {
    for change in 0..run.log.entries.len() {
        run.log.notifications.insert(change, OpId::from_index(change));
    }
    run.log.solve().lost.len()
}

#[test]
fn a_word_that_is_cleared_too_late_loses_a_notification() {
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Set(0));
    run.change(1, WORD, WordChange::Set(1));
    run.wait(0, WORD, AT_LEAST, 1);
    assert_eq!(lost(run), 1);
}

#[test]
fn a_word_that_is_cleared_before_the_answer_loses_nothing() {
    const ANSWER: Word = (0, 64);
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Set(0));
    run.change(0, ANSWER, WordChange::Set(1));
    run.wait(1, ANSWER, AT_LEAST, 1);
    run.change(1, WORD, WordChange::Set(1));
    run.wait(0, WORD, AT_LEAST, 1);
    run.change(0, WORD, WordChange::Set(0));
    assert_eq!(lost(run), 0);
}

#[test]
fn writers_of_the_same_number_lose_nothing() {
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Set(1));
    run.change(1, WORD, WordChange::Set(1));
    run.wait(2, WORD, AT_LEAST, 1);
    assert_eq!(lost(run), 0);
}

#[test]
fn a_smaller_number_may_come_last() {
    let mut run = Run::default();
    run.change(0, WORD, WordChange::Set(1));
    run.change(1, WORD, WordChange::Set(2));
    run.wait(2, WORD, AT_LEAST, 2);
    assert_eq!(lost(run), 1);
}
