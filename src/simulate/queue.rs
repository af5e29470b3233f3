//! The event queue: what is due next, in the total order (time, class, rank). It knows nothing of oracles.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::model::Time;

/// The classes of one instant, the first first.
pub const CLASSES: usize = 8;

/// A place in the order of scheduling; names one entry of a queue.
pub type Ticket = u64;

/// Time, then class and rank in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(Time, u64);

const RANK_BITS: u32 = 56;

impl Key {
    fn new(at: Time, class: u8, rank: u64) -> Key {
        debug_assert!((class as usize) < CLASSES && rank >> RANK_BITS == 0);
        Key(at, u64::from(class) << RANK_BITS | rank)
    }

    fn at(self) -> Time {
        self.0
    }

    fn class(self) -> u8 {
        (self.1 >> RANK_BITS) as u8
    }
}

/// An entry compares by its key alone.
#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    key: Key,
    ticket: Ticket,
    event: E,
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
impl<E> Eq for Entry<E> {}
impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// Pending events. What is scheduled for the present instant goes into a lane per class, in order, and never into the
/// heap: a heap entry of the same instant and class was scheduled earlier, so it comes first.
#[derive(Clone, Debug)]
pub struct Queue<E> {
    now: Time,
    heap: BinaryHeap<Reverse<Entry<E>>>,
    lanes: [VecDeque<(Ticket, E)>; CLASSES],
    /// One bit per lane that is not empty.
    open: u8,
    tickets: Ticket,
}

impl<E: Copy> Default for Queue<E> {
    fn default() -> Self {
        Queue { now: Time::ZERO, heap: BinaryHeap::new(), lanes: Default::default(), open: 0, tickets: 0 }
    }
}

impl<E: Copy> Queue<E> {
    /// Empties the queue, sets it back to the start, and frees nothing.
    pub fn clear(&mut self) {
        self.now = Time::ZERO;
        self.heap.clear();
        self.lanes.iter_mut().for_each(VecDeque::clear);
        self.open = 0;
        self.tickets = 0;
    }

    /// The instant of the event popped last.
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many events were scheduled so far.
    pub fn tickets(&self) -> Ticket {
        self.tickets
    }

    /// Moves the clock on to `now`, before which nothing is pending.
    pub fn move_to(&mut self, now: Time) {
        debug_assert!(self.open == 0 && self.heap.peek().is_none_or(|Reverse(entry)| entry.key.at() >= now));
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
            self.push_entry(at, class, self.tickets, event);
        }
        self.tickets
    }

    /// Schedules `event` at a rank of its own in its class, whatever else is pending.
    pub fn push_ranked(&mut self, at: Time, class: u8, rank: u64, event: E) -> Ticket {
        self.tickets += 1;
        self.push_entry(at, class, rank, event);
        self.tickets
    }

    fn push_entry(&mut self, at: Time, class: u8, rank: u64, event: E) {
        self.heap.push(Reverse(Entry { key: Key::new(at, class, rank), ticket: self.tickets, event }));
    }

    /// Takes the next event, if it is due by `until`; the clock moves to it.
    #[inline]
    pub fn pop(&mut self, until: Time) -> Option<(Ticket, E)> {
        let lane = self.open.trailing_zeros() as u8;
        match self.heap.peek() {
            Some(Reverse(entry)) if self.open == 0 || (entry.key.at() == self.now && entry.key.class() <= lane) => {
                if entry.key.at() > until {
                    return None;
                }
                let Reverse(entry) = self.heap.pop().expect("it was there");
                self.now = entry.key.at();
                Some((entry.ticket, entry.event))
            }
            _ if self.open != 0 => {
                let queue = &mut self.lanes[lane as usize];
                let (ticket, event) = queue.pop_front().expect("an open lane is not empty");
                if queue.is_empty() {
                    self.open &= !(1 << lane);
                }
                Some((ticket, event))
            }
            _ => None,
        }
    }

    /// Whether an event that was scheduled ahead for the present instant and `class` is pending.
    pub fn has_now(&self, class: u8) -> bool {
        self.heap.peek().is_some_and(|Reverse(entry)| entry.key.at() == self.now && entry.key.class() == class)
    }

    /// All pending events, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Ticket, E)> + '_ {
        let waiting = self.lanes.iter().flatten().copied();
        self.heap.iter().map(|Reverse(entry)| (entry.ticket, entry.event)).chain(waiting)
    }

    /// Keeps only the events for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(E) -> bool) {
        self.heap.retain(|Reverse(entry)| keep(entry.event));
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
    fn nothing_past_the_limit_is_taken() {
        let mut queue = Queue::default();
        queue.push(Time(5), 1, 1);
        assert_eq!(queue.pop(Time(4)), None);
        assert_eq!(queue.pop(Time(5)).map(|(_, event)| event), Some(1));
    }
}
