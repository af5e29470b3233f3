//! One run: from the first event to the horizon, its probes, its measures.

use super::arrivals::Arrivals;
use super::engine::{Engine, Ties, probe_limit};
use super::play::{Given, Play, Unplayable};
use crate::measure::{Delivery, Measures, Meter, Observer, Outcome, Waits};
use crate::model::{Event, Plan, Time, World};

/// What a run may cost at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Events that may happen in one run, its probes included.
    pub max_events: u64,
}

impl Default for Limits {
    /// Fifty million events: about half a minute of one core.
    fn default() -> Self {
        Limits { max_events: 50_000_000 }
    }
}

/// A run that would not end within its [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "seed {seed}: the run made {events} events by {} of simulated time and was stopped; shorten the horizon, or look for \
     what repeats without end (a retry, a flap or a stream with hardly any time between), or raise --max-events",
    crate::model::Span(.at.0)
)]
pub struct Overrun {
    /// The run's seed.
    pub seed: u64,
    /// Events that had happened.
    pub events: u64,
    /// How far the run had come.
    pub at: Time,
}

/// Runs one plan, seed after seed; what it has allocated for one run serves the next.
pub struct Simulator<'p> {
    plan: &'p Plan,
    limits: Limits,
    world: World<'p>,
    engine: Engine,
    arrivals: Arrivals,
    meter: Meter,
    measured_from: Time,
}

impl<'p> Simulator<'p> {
    /// A simulator of `plan`.
    pub fn new(plan: &'p Plan, limits: Limits) -> Simulator<'p> {
        Simulator::with_ties(plan, limits, Ties::InOrder)
    }

    /// A simulator that orders the events of one instant otherwise than the contract says.
    pub fn with_ties(plan: &'p Plan, limits: Limits, ties: Ties) -> Simulator<'p> {
        Simulator {
            plan,
            limits,
            world: World::new(plan),
            engine: Engine::new(ties),
            arrivals: Arrivals::default(),
            meter: Meter::new(plan),
            measured_from: Time::ZERO,
        }
    }

    /// Leaves what is before `from` out of the measures: the start-up of a run that stands for one without beginning.
    pub fn measured_from(self, from: Time) -> Simulator<'p> {
        Simulator { measured_from: from, ..self }
    }

    /// Runs under `seed`, tells `observer` every fact up to the horizon, and measures.
    ///
    /// # Errors
    ///
    /// If the run makes more events than its limits allow.
    pub fn run<O: Observer>(&mut self, seed: u64, observer: &mut O) -> Result<Measures, Overrun> {
        let Simulator { plan, limits, world, engine, arrivals, meter, measured_from } = self;
        let horizon = plan.setting().horizon;
        world.reset();
        engine.reset(seed);
        meter.clear();
        arrivals.begin(plan, engine);
        world.set_off(&mut engine.driver(&mut (&mut *meter, &mut *observer)));

        let mut events = 0;
        let overrun = |events, at| Overrun { seed, events, at };
        // What is before is left out; at the beginning nothing is.
        let mut until = if *measured_from == Time::ZERO { horizon } else { Time(measured_from.0 - 1).min(horizon) };
        loop {
            let Some((ticket, event)) = engine.next(until) else {
                if until == horizon {
                    break;
                }
                meter.measure_from(*measured_from);
                until = horizon;
                continue;
            };
            let mut observers = (&mut *meter, &mut *observer);
            events += 1;
            if events > limits.max_events {
                return Err(overrun(events - 1, engine.now()));
            }
            if world.held_up(event) {
                engine.hold_up(ticket, event);
                continue;
            }
            observers.happens(event);
            world.apply(event, &mut engine.driver(&mut observers));
            match event {
                Event::Update(_) | Event::WorldChange(_) => arrivals.follow(event, plan, engine),
                // Where one outage ends and another begins, what is held up stays so, in its place.
                Event::OutageEnds(_) | Event::OutageBegins(_) if !engine.more_outages_now() => engine.release(world),
                _ => {}
            }
        }
        let outcome = self.outcome(&mut events).ok_or(overrun(events, horizon))?;
        Ok(self.meter.end(horizon, outcome))
    }

    /// How long the updates of the last run waited.
    pub fn waits(&self) -> Waits<'_> {
        self.meter.waits()
    }

    /// Plays the steps of a run whose order is given, evenly spread over the time to the horizon, and measures it: what is
    /// under way then is drawn under `seed`.
    ///
    /// # Errors
    ///
    /// If a step cannot come where it is given, or the probes make more events than the limits allow.
    pub fn play<O: Observer>(&mut self, seed: u64, steps: &[Given], observer: &mut O) -> Result<Measures, Unplayable> {
        let Simulator { plan, world, engine, meter, .. } = self;
        let horizon = plan.setting().horizon;
        world.reset();
        engine.reset(seed);
        meter.clear();
        let mut play = Play::new(*engine.dice());
        let mut observers = (&mut *meter, observer);
        play.set_off(world, &mut observers);
        let between = horizon.0 / (steps.len() as u64 + 1);
        for (number, step) in (1..).zip(steps) {
            play.step(world, (number, step), Time(between * number as u64), &mut observers)?;
        }
        for (at, event) in play.rest(horizon) {
            engine.push(at, event);
        }
        let mut events = 0;
        let outcome = self.outcome(&mut events).ok_or(Overrun { seed, events, at: horizon })?;
        Ok(self.meter.end(horizon, outcome))
    }

    /// How the world stands at the horizon, found by probes (§7); none if they would not end.
    fn outcome(&self, events: &mut u64) -> Option<Outcome> {
        if !self.probe(events, Ask::Fresh)? {
            return Some(Outcome::Deadlocked);
        }
        if !self.meter.delivery().wanted() {
            return Some(Outcome::Settled);
        }
        Some(if self.probe(events, Ask::Wanted)? { Outcome::Waiting } else { Outcome::Stuck })
    }

    /// Whether a copy of the world, put right and left alone, delivers what is asked for.
    fn probe(&self, events: &mut u64, ask: Ask) -> Option<bool> {
        let horizon = self.plan.setting().horizon;
        let mut world = self.world.clone();
        let mut engine = self.engine.clone();
        let mut delivery: Delivery = self.meter.delivery().clone();
        engine.leave_alone();
        engine.move_to(horizon);
        let fresh = {
            // What outages held up comes first: it was due before.
            world.end_outages();
            engine.release(&world);
            world.put_right(&mut engine.driver(&mut delivery));
            match ask {
                Ask::Fresh => Some(world.fresh_update(&mut engine.driver(&mut delivery))),
                Ask::Wanted => None,
            }
        };
        let delivered = |delivery: &Delivery| match fresh {
            Some(fresh) => delivery.fresh_is_delivered(fresh),
            None => !delivery.wanted(),
        };
        let limit = probe_limit(horizon);
        while !delivered(&delivery) {
            let Some((_, event)) = engine.next(limit) else { return Some(false) };
            *events += 1;
            if *events > self.limits.max_events {
                return None;
            }
            if event == Event::Resync && engine.only_resync_is_left(&world) {
                return Some(false);
            }
            world.apply(event, &mut engine.driver(&mut delivery));
        }
        Some(true)
    }
}

/// What a probe asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// What is wanted already.
    Wanted,
    /// One valid update of all fields.
    Fresh,
}
