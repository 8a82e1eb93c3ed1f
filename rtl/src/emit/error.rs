//! What can be wrong with a block that is to be emitted.

/// A block that cannot be emitted, and where.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// RustHDL's own checks fail.
    #[error("{top}: connections are wrong: {cause:?}")]
    Check {
        /// Module asked for.
        top: String,
        /// Finding of the check.
        cause: rust_hdl::core::check_error::CheckError,
    },
    /// A description that has no faithful Verilog.
    #[error("{path}: {fault}")]
    Fault {
        /// Instances from the top down.
        path: String,
        /// What is wrong.
        fault: Fault,
    },
    /// Two different modules of one name.
    #[error("the top `{0}` has the name of another module")]
    DuplicateTop(String),
    /// There is no thread on which a block could be made.
    #[error("thread in which a block is made: {0}")]
    Thread(#[from] std::io::Error),
    /// The output cannot be written or read.
    #[error("{path}: {cause}")]
    Io {
        /// File or folder.
        path: String,
        /// Operating system's reason.
        cause: std::io::Error,
    },
}

/// A construct that the emitter refuses because Verilog would compute something else than the simulation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Reads something that is no signal of the block.
    #[error(
        "`{0}` is not a signal: constants of Rust are invisible here, use a literal or a field of type `Constant`"
    )]
    UnknownSignal(String),
    /// A literal wider than its context.
    #[error("literal {0} does not fit {1} bits")]
    LiteralTooWide(String, usize),
    /// Signed arithmetic loses its widths in RustHDL's syntax tree.
    #[error("signed numbers are not supported: use a magnitude and a sign bit")]
    Signed,
    /// `x.get_bit(a + 1)` may wrap at the width of `a` or not; the syntax tree does not tell.
    #[error("the position `{0}` is ambiguous: assign it to a Local signal first")]
    AmbiguousPosition(String),
    /// An expression whose width nothing determines.
    #[error("nothing tells the width of `{0}`")]
    NoWidth(String),
    /// An index of an array that is no constant.
    #[error("array index `{0}` is not a constant expression of loop variables")]
    BadIndex(String),
    /// Assignment to something else than a signal.
    #[error("cannot assign to `{0}`")]
    BadTarget(String),
    /// A signal keeps its value on some path.
    #[error("`{0}` is not assigned on every path: that is a latch; assign a default first")]
    Latch(String),
    /// A signal is read before it is assigned, or between two assignments of a child's input.
    #[error("`{0}` is read before its last assignment; simulation and Verilog would see different values")]
    ReadEarly(String),
    /// Two fields flatten to one name.
    #[error("two signals are called `{0}` once `.` and `[` have become `_`")]
    DuplicateName(String),
    /// A name that Verilog reserves or forbids.
    #[error("`{0}` cannot be an identifier in SystemVerilog: rename the field")]
    BadName(String),
    /// Two types of one name.
    #[error("two different types are called `{0}` in the package")]
    TwoTypes(String),
    /// Bidirectional links.
    #[error("bidirectional signals are only possible inside a Wrapper")]
    Bidirectional,
    /// A block without description.
    #[error("the block has no `hdl()`")]
    Empty,
}
