//! Registers and the manager of queue pairs against the register map and the model of the NIC.

mod manager;
mod registers;
