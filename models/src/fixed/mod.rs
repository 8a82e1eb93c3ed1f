//! Number formats and the laws bit for bit as the hardware computes them.
