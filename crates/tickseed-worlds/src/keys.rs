//! Publishing an agent's fields as typed keys.

/// Makes a struct a context whose listed fields are keys: readable by name, usable in
/// guards through the constants, and writable when marked `mut`.
macro_rules! keys {
    ($agent:ident { $($name:ident $field:ident: $ty:ident $($mutable:ident)?,)* }) => {
        impl tickseed_core::Context for $agent {
            type At<'a> = $agent;

            fn schema() -> &'static tickseed_core::Schema {
                static SCHEMA: tickseed_core::Schema = tickseed_core::Schema {
                    keys: &[$(tickseed_core::KeyInfo {
                        name: stringify!($field),
                        ty: <$ty as tickseed_core::KeyType>::TYPE,
                        place: tickseed_core::Place::Call,
                    },)*],
                };
                &SCHEMA
            }

            fn read(at: &Self, key: tickseed_core::KeyId) -> Option<tickseed_core::Scalar> {
                $(if key == $agent::$name.id() {
                    return Some(tickseed_core::KeyType::to_scalar(at.$field));
                })*
                None
            }

            #[allow(unused_variables, reason = "an agent may have no key that can be set")]
            fn write(
                at: &mut Self,
                key: tickseed_core::KeyId,
                value: tickseed_core::Scalar,
            ) -> bool {
                $($(
                    const _: &str = stringify!($mutable);
                    if key == $agent::$name.id() {
                        return match tickseed_core::KeyType::from_scalar(value) {
                            Some(v) => { at.$field = v; true }
                            None => false,
                        };
                    }
                )?)*
                false
            }
        }

        impl $agent {
            keys!(@consts $agent 0u16; $($name $field $ty,)*);
        }
    };
    (@consts $agent:ident $n:expr;) => {};
    (@consts $agent:ident $n:expr; $name:ident $field:ident $ty:ident, $($rest:tt)*) => {
        #[doc = concat!("The key `", stringify!($field), "`.")]
        pub const $name: tickseed_core::Key<$agent, $ty> =
            tickseed_core::Key::new(tickseed_core::KeyId($n), tickseed_core::Place::Call);
        keys!(@consts $agent $n + 1u16; $($rest)*);
    };
}

pub(crate) use keys;
