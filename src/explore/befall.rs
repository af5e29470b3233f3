//! What may befall a run, and how often.

use crate::model::setting::{Update, When};
use crate::model::{Event, Plan, Setting};

/// How updates come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updates {
    /// As often as the scenario says, and never more than so many in all.
    Bounded {
        /// Of one stream, of updates or of world changes.
        streamed: u8,
        /// Of all updates.
        in_all: u8,
    },
    /// Good ones without end, while fewer than so many versions of the workload are still in use anywhere; bad ones as
    /// often as the scenario says, a stream twice.
    Endless {
        /// Versions of the workload in use.
        versions: u8,
    },
}

/// How often what befalls a run may come. Everything may come at any time, in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How updates come.
    pub updates: Updates,
    /// Per item of the scenario, in the order of [`Tally`]'s counts.
    times: Vec<u8>,
    /// For each item the first that is just like it: which of several like items comes makes no difference.
    like: Vec<usize>,
    first: Firsts,
}

/// Where the items of a kind begin in one list of all that can befall a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Firsts {
    worlds: usize,
    outages: usize,
    tampers: usize,
    forges: usize,
    restarts: usize,
}

/// How often each item has come so far; an outage or a tampering that is over has come twice.
pub(super) type Befallen = Vec<u8>;

/// Where updates come without end, a stream of world changes comes this often, and so do bad ones of a stream of updates.
const STREAMED: u8 = 2;

impl Bounds {
    /// What `setting` allows, updates coming as `updates` says.
    pub fn new(setting: &Setting, updates: Updates) -> Bounds {
        let streamed = match updates {
            Updates::Bounded { streamed, .. } => streamed,
            Updates::Endless { .. } => STREAMED,
        };
        let times = |when: &When, streamed: u8| match when {
            When::At(_) => 1,
            When::Stream { count, .. } => count.map_or(streamed, |count| count.min(streamed.into()) as u8),
        };
        let mut all: Vec<u8> = setting.updates.iter().map(|update| times(&update.when, streamed)).collect();
        let mut first = Firsts { worlds: all.len(), outages: 0, tampers: 0, forges: 0, restarts: 0 };
        all.extend(setting.worlds.iter().map(|world| times(&world.when, streamed)));
        first.outages = all.len();
        all.extend(setting.outages.iter().map(|_| 2));
        first.tampers = all.len();
        all.extend(setting.tampers.iter().map(|tamper| 1 + u8::from(tamper.until.is_some())));
        first.forges = all.len();
        all.extend(setting.forges.iter().map(|_| 1));
        first.restarts = all.len();
        all.extend(setting.restarts.iter().map(|_| 1));

        let mut like: Vec<usize> = (0..all.len()).collect();
        for (at, update) in setting.updates.iter().enumerate() {
            let same = |other: &Update| {
                (&other.set, &other.bad_for, &other.hangs_for) == (&update.set, &update.bad_for, &update.hangs_for)
            };
            like[at] = setting.updates.iter().position(same).expect("at least itself");
        }
        Bounds { updates, times: all, like, first }
    }

    /// The same bounds, but of like items each may come before the others: so it is in a run with a clock.
    pub fn told_apart(mut self) -> Bounds {
        self.like.iter_mut().enumerate().for_each(|(at, like)| *like = at);
        self
    }

    pub(super) fn nothing_yet(&self) -> Befallen {
        vec![0; self.times.len()]
    }

    /// The place of what befalls a run in the list of all that can; none if it is no such event.
    pub(super) fn place(&self, event: Event) -> Option<usize> {
        let first = &self.first;
        Some(match event {
            Event::Update(item) => item as usize,
            Event::WorldChange(item) => first.worlds + item as usize,
            Event::OutageBegins(item) | Event::OutageEnds(item) => first.outages + item as usize,
            Event::Tamper(item) | Event::PutBack(item) => first.tampers + item as usize,
            Event::Forge(item) => first.forges + item as usize,
            Event::Restart(item) => first.restarts + item as usize,
            _ => return None,
        })
    }

    /// Appends what may befall a run next; `versions` are in use. Tells whether an update is left out because they are as
    /// many as may be.
    pub(super) fn events(&self, plan: &Plan, befallen: &Befallen, versions: u32, events: &mut Vec<Event>) -> bool {
        let first = &self.first;
        for (at, update) in plan.setting().updates.iter().enumerate() {
            let comes = match self.updates {
                Updates::Bounded { in_all, .. } => {
                    let made: u32 = befallen[..first.worlds].iter().map(|&made| u32::from(made)).sum();
                    made < in_all.into() && self.is_first_left(at, befallen)
                }
                Updates::Endless { versions: most } if update.is_faulty() => {
                    versions < most.into() && self.is_first_left(at, befallen)
                }
                // Of good ones without end one is as good as another.
                Updates::Endless { versions: most } => versions < most.into() && self.like[at] == at,
            };
            if comes {
                events.push(Event::Update(at as u16));
            }
        }
        let left = |at: usize| befallen[at] < self.times[at];
        let item = |at: usize, first: usize| (at - first) as u16;
        events.extend(
            (first.worlds..first.outages).filter(|&at| left(at)).map(|at| Event::WorldChange(item(at, first.worlds))),
        );
        for at in (first.outages..first.tampers).filter(|&at| left(at)) {
            let item = item(at, first.outages);
            events.push(if befallen[at] == 0 { Event::OutageBegins(item) } else { Event::OutageEnds(item) });
        }
        for at in (first.tampers..first.forges).filter(|&at| left(at)) {
            let item = item(at, first.tampers);
            events.push(if befallen[at] == 0 { Event::Tamper(item) } else { Event::PutBack(item) });
        }
        events.extend(
            (first.forges..first.restarts).filter(|&at| left(at)).map(|at| Event::Forge(item(at, first.forges))),
        );
        events.extend(
            (first.restarts..self.times.len())
                .filter(|&at| left(at))
                .map(|at| Event::Restart(item(at, first.restarts))),
        );
        matches!(self.updates, Updates::Endless { versions: most } if versions >= most.into())
    }

    /// Whether an item may still come, and no item like it may before it.
    fn is_first_left(&self, at: usize, befallen: &Befallen) -> bool {
        let left = |at: usize| befallen[at] < self.times[at];
        left(at) && !(self.like[at]..at).any(|other| self.like[other] == self.like[at] && left(other))
    }

    /// Counts `event`; tells whether it was still allowed. Of updates without end only those that turn out bad count.
    pub(super) fn count(&self, event: Event, turned_out_bad: bool, befallen: &mut Befallen) -> bool {
        let Some(at) = self.place(event) else { return true };
        let endless = matches!((event, self.updates), (Event::Update(_), Updates::Endless { .. }));
        if endless && !turned_out_bad {
            return true;
        }
        befallen[at] = befallen[at].saturating_add(1);
        befallen[at] <= self.times[at]
    }

    /// The bounds in words: what a proof holds within.
    pub fn in_words(&self, setting: &Setting) -> String {
        let many = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("one {what}")),
            count => Some(format!("{count} {what}s")),
        };
        let sum = |from: usize, to: usize| self.times[from..to].iter().map(|&times| usize::from(times)).sum();
        let updates = match self.updates {
            Updates::Bounded { in_all, .. } => {
                let all: usize = sum(0, self.first.worlds);
                many(all.min(in_all.into()), "update").unwrap_or("no update".to_owned())
            }
            Updates::Endless { versions } => {
                format!("updates without end, at most {versions} versions of the workload in use at a time")
            }
        };
        let mut words = vec![updates];
        words.extend(many(sum(self.first.worlds, self.first.outages), "world change"));
        words.extend(many(setting.outages.len(), "outage"));
        words.extend(many(setting.tampers.len(), "tampering"));
        words.extend(many(setting.forges.len(), "forgery").map(|words| words.replace("forgerys", "forgeries")));
        words.extend(many(setting.restarts.len(), "restart"));
        let last = words.pop().expect("updates are always spoken of");
        match words.is_empty() {
            true => last,
            false => format!("{} and {last}", words.join(", ")),
        }
    }
}
