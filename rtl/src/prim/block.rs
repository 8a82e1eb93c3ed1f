//! [`block!`](crate::block): a block whose `Default` is written by its fields.

/// Declares a block and its `Default`. A field that is not made by its own `Default` says how: `limit: Constant<U<17>> = ..`;
/// an array of any length is made item by item with `= [..; N]` as usual or [`each`]. `where (condition, "text")` is checked
/// while compiling.
#[macro_export]
macro_rules! block {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(<$(const $c:ident : $ct:ty),+>)? $(where ($check:expr, $text:literal))? {
            $( $(#[$field_meta:meta])* $field_vis:vis $field:ident : $ty:ty $(= $value:expr)? ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(rust_hdl::prelude::LogicBlock)]
        $vis struct $name $(<$(const $c: $ct),+>)? { $( $(#[$field_meta])* $field_vis $field: $ty, )* }

        impl $(<$(const $c: $ct),+>)? Default for $name $(<$($c),+>)? {
            fn default() -> Self {
                $( const { assert!($check, $text) }; )?
                Self { $( $field: $crate::block_field!($($value)?), )* }
            }
        }
    };
}

/// One field of [`block!`](crate::block).
#[doc(hidden)]
#[macro_export]
macro_rules! block_field {
    () => {
        Default::default()
    };
    ($value:expr) => {
        $value
    };
}

/// An array of defaults of any length; Rust's own `Default` ends at 32.
pub fn each<T: Default, const N: usize>() -> [T; N] {
    std::array::from_fn(|_| T::default())
}

#[cfg(test)]
mod tests {
    use crate::prim::uint::U;
    use crate::sim::{init, step};
    use rust_hdl::prelude::*;

    crate::block! {
        /// Forty registers in a row, and a limit.
        pub struct Row<const N: usize, const LIMIT: usize> where (N > 1 && LIMIT < 256, "two registers at least") {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// In.
            pub d: Signal<In, U<8>>,
            /// Out, at most the limit.
            pub q: Signal<Out, U<8>>,
            limit: Constant<U<8>> = Constant::new(U(LIMIT as u64)),
            row: [DFF<U<8>>; N] = crate::prim::block::each(),
        }
    }

    impl<const N: usize, const LIMIT: usize> Logic for Row<N, LIMIT> {
        #[hdl_gen]
        fn update(&mut self) {
            self.row[0].clock.next = self.clock.val();
            self.row[0].d.next = self.d.val();
            for i in 1..40 {
                self.row[i].clock.next = self.clock.val();
                self.row[i].d.next = self.row[i - 1].q.val();
            }
            self.q.next = self.row[39].q.val();
            if self.row[39].q.val() > self.limit.val() {
                self.q.next = self.limit.val();
            }
        }
    }
    crate::has_clock! { [const N: usize, const LIMIT: usize] Row<N, LIMIT> }

    #[test]
    fn a_block_of_forty_registers_has_a_default() {
        let mut row: Box<Row<40, 100>> = Box::default();
        init(row.as_mut()).expect("complete block");
        for clock in 0..200u64 {
            row.d.next = U(clock);
            assert_eq!(
                step(row.as_mut(), |row| row.q.val().0),
                clock.saturating_sub(40).min(100)
            );
        }
        crate::emit::Library::new().add_top("row", row.as_mut()).expect("emits");
    }
}
