//! The ports of a block as lists of limbs, so that one test harness drives any block.

use super::HasClock;
use crate::emit::ident::identifier;
use crate::prim::uint::Limbs;
use rust_hdl::prelude::*;

/// One port of a block, `clk` excepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in the emitted Verilog: `up_valid` for field `valid` of interface `up`.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// True for inputs.
    pub input: bool,
    /// First of its 64-bit limbs among the ports of its direction.
    pub limb: usize,
}

impl Port {
    /// Number of limbs.
    pub fn limbs(&self) -> usize {
        self.width.div_ceil(64)
    }
    /// The port's value as hexadecimal digits, from the limbs of all ports of its direction.
    pub fn hex(&self, limbs: &[u64]) -> String {
        let own = &limbs[self.limb..self.limb + self.limbs()];
        let digits: String = own.iter().rev().map(|limb| format!("{limb:016x}")).collect();
        let trimmed = digits.trim_start_matches('0');
        format!("{}'h{}", self.width, if trimmed.is_empty() { "0" } else { trimmed })
    }
}

/// Generic access to all ports of a block, in the order in which they are declared; written by [`macro@crate::block`].
/// [`port_list`] tells their names and widths.
pub trait Ports: HasClock {
    /// Sets every input from limbs, and the limbs to what the inputs then hold: a code that no value of a kind has is the last value's.
    fn set_inputs(&mut self, limbs: &mut [u64]);
    /// Reads every output into limbs.
    fn get_outputs(&self, limbs: &mut [u64]);
}

/// A port or a bundle of ports. Both methods tell how many limbs they took, none if there is nothing of that direction.
pub trait PortField {
    /// Sets the inputs from their limbs, and these to what the inputs then hold.
    fn set_inputs(&mut self, limbs: &mut [u64]) -> usize;
    /// Reads the outputs into their limbs.
    fn get_outputs(&self, limbs: &mut [u64]) -> usize;
}

impl<T: Limbs> PortField for Signal<In, T> {
    #[inline(always)]
    fn set_inputs(&mut self, limbs: &mut [u64]) -> usize {
        self.next = T::from_limbs(limbs);
        self.next.to_limbs(&mut limbs[..T::LIMBS]);
        T::LIMBS
    }
    #[inline(always)]
    fn get_outputs(&self, _: &mut [u64]) -> usize {
        0
    }
}

impl<T: Limbs> PortField for Signal<Out, T> {
    #[inline(always)]
    fn set_inputs(&mut self, _: &mut [u64]) -> usize {
        0
    }
    #[inline(always)]
    fn get_outputs(&self, limbs: &mut [u64]) -> usize {
        self.val().to_limbs(limbs);
        T::LIMBS
    }
}

impl<P: PortField, const N: usize> PortField for [P; N] {
    #[inline(always)]
    fn set_inputs(&mut self, limbs: &mut [u64]) -> usize {
        let mut at = 0;
        for port in self {
            at += port.set_inputs(&mut limbs[at..]);
        }
        at
    }
    #[inline(always)]
    fn get_outputs(&self, limbs: &mut [u64]) -> usize {
        let mut at = 0;
        for port in self {
            at += port.get_outputs(&mut limbs[at..]);
        }
        at
    }
}

/// Implements [`Ports`](crate::sim::Ports) and [`HasClock`](crate::sim::HasClock) for a block without [`macro@crate::block`]; ports in
/// declaration order, fields of interfaces with a dot: `ports! { [] MyBlock { in a, up.data, up.valid; out up.ready, q } }`.
#[macro_export]
macro_rules! ports {
    ([$($generics:tt)*] $block:ty { in $($($input:ident).+),* ; out $($($output:ident).+),* $(,)? }) => {
        $crate::has_clock! { [$($generics)*] $block }
        impl<$($generics)*> $crate::sim::Ports for $block {
            #[allow(unused_assignments, unused_mut, unused_variables)]
            fn set_inputs(&mut self, limbs: &mut [u64]) {
                let mut at = 0;
                $( at += $crate::sim::PortField::set_inputs(&mut self.$($input).+, &mut limbs[at..]); )*
            }
            #[allow(unused_assignments, unused_mut, unused_variables)]
            fn get_outputs(&self, limbs: &mut [u64]) {
                let mut at = 0;
                $( at += $crate::sim::PortField::get_outputs(&self.$($output).+, &mut limbs[at..]); )*
            }
        }
    };
}

/// Implements [`HasClock`](crate::sim::HasClock) alone: `has_clock! { [const N: usize] MyBlock<N> }`.
#[macro_export]
macro_rules! has_clock {
    ([$($generics:tt)*] $block:ty) => {
        impl<$($generics)*> $crate::sim::HasClock for $block {
            #[inline(always)]
            fn clock_port(&mut self) -> &mut rust_hdl::prelude::Signal<rust_hdl::prelude::In, rust_hdl::prelude::Clock> {
                &mut self.clock
            }
        }
    };
}

#[derive(Default)]
struct Collect {
    depth: usize,
    interfaces: Vec<String>,
    ports: Vec<Port>,
    limbs: [usize; 2],
}

impl Probe for Collect {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.interfaces.push(name.to_string());
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.interfaces.pop();
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        if self.depth != 1 || !atom.kind().is_parameter() {
            return;
        }
        let mut path = self.interfaces.clone();
        path.push(name.to_string());
        let name = identifier(&path.join("$"));
        if name == "clk" {
            return;
        }
        let input = atom.kind() == AtomKind::InputParameter;
        let limb = self.limbs[input as usize];
        let port = Port {
            name,
            width: atom.bits(),
            input,
            limb,
        };
        self.limbs[input as usize] += port.limbs();
        self.ports.push(port);
    }
}

/// The ports of a block in declaration order, `clk` excepted.
pub fn port_list(block: &dyn Block) -> Vec<Port> {
    let mut collect = Collect::default();
    block.accept("block", &mut collect);
    collect.ports
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::ram::Ram;
    use crate::prim::wide::W;

    #[test]
    fn ports_are_named_in_the_order_of_their_declaration() {
        let ram: Box<Ram<W<100, 2>, 3>> = Box::default();
        let ports = port_list(ram.as_ref());
        let names: Vec<_> = ports.iter().map(|p| (p.name.as_str(), p.input)).collect();
        let inputs = [("raddr", true), ("we", true), ("waddr", true), ("wdata", true)];
        assert!(inputs.iter().all(|input| names.contains(input)), "{names:?}");
        let wdata = ports.iter().find(|p| p.name == "wdata").expect("port");
        assert_eq!((wdata.width, wdata.limb, wdata.limbs()), (100, 3, 2));
        assert_eq!(wdata.hex(&[0, 0, 0, 0x1f, 0xab]), "100'hab000000000000001f");
    }

    #[test]
    fn values_pass_through_limbs() {
        let mut ram: Box<Ram<W<100, 2>, 3>> = Box::default();
        ram.set_inputs(&mut [5, 1, 6, 0x1234, 0xf_ffff_ffff]);
        assert_eq!((ram.raddr.next.0, ram.we.next, ram.waddr.next.0), (5, true, 6));
        assert_eq!(ram.wdata.next.0, [0x1234, 0xf_ffff_ffff]);
    }
}
