//! Headers on the wire, the INT stack, the ICRC and packet captures.
