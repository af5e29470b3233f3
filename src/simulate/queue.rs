//! The event queue: what is due next, in the total order (time, class, rank). It knows nothing of oracles.

use std::collections::VecDeque;

use crate::model::Time;

/// The classes of one instant, the first first.
pub const CLASSES: usize = 8;

/// An event's rank among those of its instant and class: where it stands in the order of scheduling, unless it was given a
/// rank. Names one entry of a queue.
pub type Ticket = u64;

/// One comparison orders two entries: time before class before rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    at: Time,
    /// The class in the upper eight bits, the rank in the others.
    place: u64,
}

const RANK_BITS: u32 = 56;

impl Key {
    #[inline]
    fn new(at: Time, class: u8, rank: u64) -> Key {
        debug_assert!((class as usize) < CLASSES && rank >> RANK_BITS == 0);
        Key { at, place: u64::from(class) << RANK_BITS | rank }
    }

    fn class(self) -> u8 {
        (self.place >> RANK_BITS) as u8
    }

    fn rank(self) -> u64 {
        self.place & ((1 << RANK_BITS) - 1)
    }

    #[inline]
    fn before(self, other: Key) -> bool {
        let word = |key: Key| u128::from(key.at.0) << 64 | u128::from(key.place);
        word(self) < word(other)
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    key: Key,
    event: E,
}

/// A heap in which each entry has four children: half as deep as one with two, and siblings lie side by side in memory.
#[derive(Clone, Debug)]
struct Heap<E>(Vec<Entry<E>>);

const CHILDREN: usize = 4;

impl<E: Copy> Heap<E> {
    #[inline]
    fn first(&self) -> Option<Key> {
        self.0.first().map(|entry| entry.key)
    }

    #[inline]
    fn push(&mut self, entry: Entry<E>) {
        let mut at = self.0.len();
        self.0.push(entry);
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if !entry.key.before(self.0[parent].key) {
                break;
            }
            self.0[at] = self.0[parent];
            at = parent;
        }
        self.0[at] = entry;
    }

    #[inline]
    fn pop(&mut self) -> Option<Entry<E>> {
        let last = self.0.pop()?;
        let Some(&first) = self.0.first() else { return Some(last) };
        self.sink(0, last);
        Some(first)
    }

    /// Puts `entry` at `at` or below, where it belongs; what was at `at` is gone.
    #[inline]
    fn sink(&mut self, mut at: usize, entry: Entry<E>) {
        let entries = &mut self.0[..];
        loop {
            let child = CHILDREN * at + 1;
            if child >= entries.len() {
                break;
            }
            let (mut least, mut key) = (child, entries[child].key);
            let siblings = &entries[child + 1..entries.len().min(child + CHILDREN)];
            for (sibling, other) in (child + 1..).zip(siblings) {
                if other.key.before(key) {
                    (least, key) = (sibling, other.key);
                }
            }
            if !key.before(entry.key) {
                break;
            }
            entries[at] = entries[least];
            at = least;
        }
        entries[at] = entry;
    }

    fn retain(&mut self, mut keep: impl FnMut(E) -> bool) {
        self.0.retain(|entry| keep(entry.event));
        for at in (0..self.0.len().div_ceil(CHILDREN)).rev() {
            self.sink(at, self.0[at]);
        }
    }
}

/// Pending events. What is scheduled for the present instant goes into a lane per class, in order, and never into the
/// heap: a heap entry of the same instant and class was scheduled earlier, so it comes first.
#[derive(Clone, Debug)]
pub struct Queue<E> {
    now: Time,
    heap: Heap<E>,
    lanes: [VecDeque<(Ticket, E)>; CLASSES],
    /// One bit per lane that is not empty.
    open: u8,
    tickets: Ticket,
}

impl<E: Copy> Default for Queue<E> {
    fn default() -> Self {
        Queue { now: Time::ZERO, heap: Heap(Vec::new()), lanes: Default::default(), open: 0, tickets: 0 }
    }
}

impl<E: Copy> Queue<E> {
    /// Empties the queue, sets it back to the start, and frees nothing.
    pub fn clear(&mut self) {
        self.now = Time::ZERO;
        self.heap.0.clear();
        self.lanes.iter_mut().for_each(VecDeque::clear);
        self.open = 0;
        self.tickets = 0;
    }

    /// The instant of the event popped last.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many events were scheduled so far.
    pub fn tickets(&self) -> u64 {
        self.tickets
    }

    /// Moves the clock on to `now`, before which nothing is pending.
    pub fn move_to(&mut self, now: Time) {
        debug_assert!(self.open == 0 && self.heap.first().is_none_or(|key| key.at >= now));
        self.now = now;
    }

    /// Schedules `event` after everything of its instant and class that is pending.
    #[inline]
    pub fn push(&mut self, at: Time, class: u8, event: E) -> Ticket {
        debug_assert!(at >= self.now, "the clock never goes back");
        self.tickets += 1;
        if at == self.now {
            self.lanes[class as usize].push_back((self.tickets, event));
            self.open |= 1 << class;
        } else {
            self.heap.push(Entry { key: Key::new(at, class, self.tickets), event });
        }
        self.tickets
    }

    /// Schedules `event` at a rank of its own in its class, whatever else is pending.
    pub fn push_ranked(&mut self, at: Time, class: u8, rank: u64, event: E) -> Ticket {
        self.tickets += 1;
        self.heap.push(Entry { key: Key::new(at, class, rank), event });
        rank
    }

    /// Takes the next event, if it is due by `until`; the clock moves to it.
    #[inline]
    pub fn pop(&mut self, until: Time) -> Option<(Ticket, E)> {
        let lane = self.open.trailing_zeros() as u8;
        match self.heap.first() {
            Some(key) if self.open == 0 || (key.at == self.now && key.class() <= lane) => {
                if key.at > until {
                    return None;
                }
                let Entry { key, event } = self.heap.pop().expect("it was there");
                self.now = key.at;
                Some((key.rank(), event))
            }
            _ if self.open != 0 => {
                let queue = &mut self.lanes[lane as usize];
                let next = queue.pop_front();
                if queue.is_empty() {
                    self.open &= !(1 << lane);
                }
                next
            }
            _ => None,
        }
    }

    /// Whether an event that was scheduled ahead for the present instant and `class` is pending.
    pub fn has_now(&self, class: u8) -> bool {
        self.heap.first().is_some_and(|key| key.at == self.now && key.class() == class)
    }

    /// All pending events, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Ticket, E)> + '_ {
        let waiting = self.lanes.iter().flatten().copied();
        self.heap.0.iter().map(|entry| (entry.key.rank(), entry.event)).chain(waiting)
    }

    /// Keeps only the events for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(E) -> bool) {
        self.heap.retain(&mut keep);
        for (class, lane) in self.lanes.iter_mut().enumerate() {
            lane.retain(|&(_, event)| keep(event));
            if lane.is_empty() {
                self.open &= !(1 << class);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVER: Time = Time(u64::MAX);

    fn drain(queue: &mut Queue<u32>) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(EVER)).map(|(_, event)| event).collect()
    }

    #[test]
    fn events_come_by_time_then_class_then_order_of_scheduling() {
        let mut queue = Queue::default();
        queue.push(Time(5), 1, 4);
        queue.push(Time(5), 0, 2);
        queue.push(Time(3), 2, 1);
        queue.push(Time(5), 0, 3);
        queue.push(Time(5), 1, 5);
        assert_eq!(drain(&mut queue), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn what_is_scheduled_for_now_comes_after_what_was_scheduled_before_in_its_class() {
        let mut queue = Queue::default();
        queue.push(Time(5), 1, 10);
        queue.push(Time(5), 2, 20);
        queue.push(Time(5), 1, 11);
        assert_eq!(queue.pop(EVER).unwrap().1, 10);
        queue.push(Time(5), 1, 12);
        queue.push(Time(5), 0, 1);
        queue.push_ranked(Time(5), 0, 7, 0);
        queue.push(Time(6), 0, 30);
        assert_eq!(drain(&mut queue), [0, 1, 11, 12, 20, 30]);
    }

    #[test]
    fn a_thousand_at_random_come_in_order_and_what_is_dropped_does_not() {
        let mut queue = Queue::default();
        let numbers: Vec<u32> = (0..1000u32).map(|n| n.wrapping_mul(2_654_435_761) >> 20).collect();
        for &number in &numbers {
            queue.push(Time(1 + u64::from(number / 4)), (number % 4) as u8, number);
        }
        queue.retain(|number| number % 3 != 0);
        let mut sorted: Vec<u32> = numbers.iter().copied().filter(|number| number % 3 != 0).collect();
        sorted.sort_unstable();
        assert_eq!(drain(&mut queue), sorted);
    }

    #[test]
    fn nothing_past_the_limit_is_taken() {
        let mut queue = Queue::default();
        queue.push(Time(5), 1, 1);
        assert_eq!(queue.pop(Time(4)), None);
        assert_eq!(queue.pop(Time(5)).map(|(_, event)| event), Some(1));
    }
}
