//! A policy is a value on each axis (contract §5), and the few rules that follow from it. The rules see a [`Seen`]:
//! what an object shows and what the choreographer remembers. Lineage is not in it, so no rule can use it.

use super::axis::axis;
use super::setting::{Healthy, Oracle};
use super::time::Span;
use super::value::Generation;

axis! {
    /// When an output may be read.
    Read {
        Always = "always": "whenever there is one",
        Acknowledged = "acknowledged": "when the latest question is acknowledged",
        AtRest = "at-rest": "when acknowledged and `Ready` is `True` or `False`",
        Ready = "ready": "when acknowledged and `Ready` is `True`",
    }
}
axis! {
    /// When a new spec may be written.
    Write {
        Always = "always": "at once",
        AtRest = "at-rest": "when acknowledged and `Ready` is `True` or `False`",
        Ready = "ready": "when acknowledged and `Ready` is `True`",
    }
}
axis! {
    /// What a visit does first.
    Order {
        WriteFirst = "write-first": "write, then read what came back",
        ReadFirst = "read-first": "read, then write",
    }
}
axis! {
    /// Whether a rule other than `always` also wants the latest question acknowledged.
    Acknowledgement {
        IfReported = "if-reported": "of an oracle that ever acknowledges",
        Required = "required": "`observed` must equal `generation`",
        Ignored = "ignored": "no",
        Own = "own": "required, no older than the choreographer's own last write, and the spec seen is the question last asked",
    }
}
axis! {
    /// What is written when a held write is permitted.
    Pending {
        Latest = "latest": "the newest desired question",
        Fifo = "fifo": "every desired question, the oldest first",
        Stack = "stack": "the newest held one; what is older than a success is dropped",
    }
}
axis! {
    /// What the choreographer remembers of an output.
    Memory {
        None = "none": "nothing",
        Memento = "memento": "the last output, until a restart",
        Persisted = "persisted": "the last output, restarts survived",
    }
}
axis! {
    /// Which question an answer is said to come from.
    Trace {
        Latest = "latest": "a new answer is claimed for the question last asked; a known one keeps its claim",
        WhenReady = "when-ready": "the question last asked, only if acknowledged and `Ready` is `True`",
        ReportedGeneration = "reported-generation": "the question of the reported generation, if the choreographer asked it",
        ReportedInputs = "reported-inputs": "the newest question asked with the reported contents",
    }
}
axis! {
    /// What is done about a question that failed.
    OnFailure {
        Wait = "wait": "nothing",
        Rollback = "rollback": "the last question seen to succeed is asked again",
        Shadow = "shadow": "a second object holds the last question seen to succeed",
    }
}
axis! {
    /// What a pass does at an oracle whose inputs are missing.
    Missing {
        Skip = "skip": "goes on with the next oracle",
        Stop = "stop": "ends",
    }
}
axis! {
    /// Which of the workload's values a pass goes by.
    Intake {
        Always = "always": "those of the moment when it begins",
        AtRest = "at-rest": "those taken up last; the newest are taken up when the whole chain is at rest",
    }
}
axis! {
    /// Whether an object is asked again or a new one created.
    Lifecycle {
        Mutable = "mutable": "one object, asked again and again",
        Immutable = "immutable": "each distinct question creates an object of its own",
    }
}

macro_rules! axes {
    ($($(#[$doc:meta])* $axis:ident: $type:ty = $default:expr),+ $(,)?) => {
        /// A value on each axis.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct Policy { $($(#[$doc])* pub $axis: $type),+ }

        impl Default for Policy {
            /// `read-always`: the choreographer before any rule.
            fn default() -> Self {
                Policy { $($axis: $default),+ }
            }
        }

        /// The axes that an oracle's template fixes, whatever policy is tried (§5).
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Fixed { $($(#[$doc])* pub $axis: Option<$type>),+ }

        impl Fixed {
            /// `policy`, but for what is fixed.
            pub fn laid_over(&self, policy: &Policy) -> Policy {
                Policy { $($axis: self.$axis.unwrap_or(policy.$axis)),+ }
            }
        }
    };
}

axes! {
    /// When an output may be read.
    read: Read = Read::Always,
    /// When a new spec may be written.
    write: Write = Write::Always,
    /// What a visit does first.
    order: Order = Order::WriteFirst,
    /// Whether acknowledgement is wanted.
    acknowledgement: Acknowledgement = Acknowledgement::IfReported,
    /// What is written when a held write is permitted.
    pending: Pending = Pending::Latest,
    /// How long a write may be held before it is permitted anyway.
    timeout: Option<Span> = None,
    /// How long after asking nothing is read.
    grace: Option<Span> = None,
    /// What is remembered of an output.
    memory: Memory = Memory::None,
    /// Which question an answer is claimed for.
    trace: Trace = Trace::Latest,
    /// What is done about failure.
    on_failure: OnFailure = OnFailure::Wait,
    /// What a pass does at missing inputs.
    missing: Missing = Missing::Skip,
    /// Which of the workload's values a pass goes by; of the chain as a whole.
    intake: Intake = Intake::Always,
    /// Mutable or immutable objects.
    lifecycle: Lifecycle = Lifecycle::Mutable,
    /// Whether a spec that somebody else wrote is reverted at sight.
    reverts: bool = true,
}

impl Fixed {
    /// What rules an oracle that fixes this, under `policy`. An axis that what is fixed leaves nothing to say is as if
    /// unsaid (§10.40).
    pub fn over(&self, policy: &Policy) -> Policy {
        if *self == Fixed::default() {
            return policy.clone();
        }
        let mut ruling = self.laid_over(policy);
        if ruling.lifecycle == Lifecycle::Immutable {
            ruling.on_failure = OnFailure::Wait;
        }
        if ruling.write == Write::Always {
            ruling.timeout = None;
            if ruling.pending == Pending::Fifo {
                ruling.pending = Pending::Latest;
            }
        }
        ruling
    }
}

axis! {
    /// The `Ready` condition.
    Ready {
        Unknown = "unknown": "never reported, or at work",
        True = "true": "at rest, well",
        False = "false": "at rest, not well",
    }
}

impl Ready {
    /// `True` or `False`.
    pub fn at_rest(self) -> bool {
        self != Ready::Unknown
    }

    /// As Kubernetes spells it.
    pub fn name(self) -> &'static str {
        match self {
            Ready::Unknown => "Unknown",
            Ready::True => "True",
            Ready::False => "False",
        }
    }
}

/// What the choreographer sees of an object's status, and what of its own memory the rules need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The object's generation.
    pub generation: Generation,
    /// The generation acknowledged.
    pub observed: Generation,
    /// Its readiness.
    pub ready: Ready,
    /// The generation of the choreographer's own last write.
    pub own: Generation,
    /// Whether the spec seen is the question last asked.
    pub spec_is_last_asked: bool,
    /// Whether a read must still wait for the end of the `grace`.
    pub in_grace: bool,
}

impl Policy {
    /// Whether the latest question counts as acknowledged (§5 `acknowledgement`, §10.1).
    #[inline]
    pub fn acknowledged(&self, oracle: &Oracle, seen: &Seen) -> bool {
        let equal = seen.observed == seen.generation;
        match self.acknowledgement {
            Acknowledgement::Required => equal,
            Acknowledgement::IfReported => !oracle.acknowledges_ever() || equal,
            Acknowledgement::Ignored => true,
            Acknowledgement::Own => equal && seen.observed >= seen.own && seen.spec_is_last_asked,
        }
    }

    /// Acknowledged and `Ready` is `True` or `False`.
    #[inline]
    pub fn at_rest(&self, oracle: &Oracle, seen: &Seen) -> bool {
        seen.ready.at_rest() && self.acknowledged(oracle, seen)
    }

    /// Acknowledged and `Ready` is `True`: the question last asked is seen to have succeeded.
    #[inline]
    pub fn succeeded(&self, oracle: &Oracle, seen: &Seen) -> bool {
        seen.ready == Ready::True && self.acknowledged(oracle, seen)
    }

    /// Acknowledged and `Ready` is `False`: the question last asked is seen to have failed.
    pub fn failed(&self, oracle: &Oracle, seen: &Seen) -> bool {
        seen.ready == Ready::False && self.acknowledged(oracle, seen)
    }

    /// Whether the output may be read (§4 step 3).
    #[inline]
    pub fn may_read(&self, oracle: &Oracle, seen: &Seen) -> bool {
        if oracle.healthy == Healthy::Always {
            return true;
        }
        !seen.in_grace
            && match self.read {
                Read::Always => true,
                Read::Acknowledged => self.acknowledged(oracle, seen),
                Read::AtRest => self.at_rest(oracle, seen),
                Read::Ready => self.succeeded(oracle, seen),
            }
    }

    /// Whether a new spec may be written (§4 step 4).
    #[inline]
    pub fn may_write(&self, oracle: &Oracle, seen: &Seen) -> bool {
        oracle.healthy == Healthy::Always
            || match self.write {
                Write::Always => true,
                Write::AtRest => self.at_rest(oracle, seen),
                Write::Ready => self.succeeded(oracle, seen),
            }
    }

    /// Whether a question that failed is not asked again before desired has become something else (§5 `stack`,
    /// `rollback`).
    pub fn bars_failed(&self) -> bool {
        self.pending == Pending::Stack || self.on_failure == OnFailure::Rollback
    }
}
