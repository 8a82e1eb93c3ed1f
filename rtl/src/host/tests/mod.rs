//! Registers and the manager of queue pairs against the register map and the model of the NIC.

mod handshake;
mod manager;
mod registers;
