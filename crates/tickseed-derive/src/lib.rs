//! Derives for [Tickseed](https://docs.rs/tickseed): `Context`, `Keys` and `Leaf`.
//!
//! Use them through the crate `tickseed`, which re-exports them together with the traits. Each
//! stage has its own file: parse the attributes, analyze what the fields are, lower to what is
//! generated for each key, and generate the code.
#![forbid(unsafe_code)]

mod analyze;
mod codegen;
mod leaf;
mod lower;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use syn::DeriveInput;

/// Makes a struct a context: what a tree's leaves see, with the scalar fields as typed keys.
///
/// ```
/// # use tickseed_core as tickseed;
/// use tickseed_derive::Context;
/// use tickseed::{Status, Time, nodes};
///
/// #[derive(Context)]
/// #[context(crate = tickseed_core)] // not needed with the crate `tickseed`
/// struct Robot {
///     battery: f32,
///     #[key(name = "hit points")]
///     hp: i32,
///     target: Option<(f32, f32)>, // not a scalar: no key
/// }
///
/// let n = nodes::<Robot>();
/// let tree = n.check(Robot::BATTERY.lt(0.2).and(Robot::HP.gt(0))).build()?;
/// let mut robot = Robot { battery: 0.1, hp: 3, target: None };
/// assert_eq!(tree.tick(&mut tree.agent(), &mut robot, Time::ZERO)?, Status::Success);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A struct with a lifetime is a view that borrows from the world: `struct View<'w>` gets
/// `impl Context for View<'static>` with `At<'a> = View<'a>`. Fields that are references to
/// scalars are keys as well; those behind `&` are read-only.
///
/// **Each scalar field** (`bool`, `i8` to `i64`, `u8` to `u64`, `f32`, `f64`) becomes a key of the
/// schema with the field's name, and a constant in upper case with the field's visibility. On a
/// field:
/// * `#[key(skip)]`: not a key.
/// * `#[key(name = "..")]`: a different name for files and tools.
/// * `#[key(read_only)]`: not to be written by name.
/// * `#[context(keys)]`: this field, or what it refers to, is the context's key block: a
///   struct that derives [`macro@Keys`]. Guards read its keys in place, without a call.
/// * `#[context(blackboard)]`: this field, or what it refers to, is a `Blackboard`: its keys are
///   also the context's.
/// * `#[context(board)]`: this field, or what it refers to, is the board on which a tree file
///   keeps its keys (`tickseed::lang::board::Board`): trees from files can be loaded for this
///   context, and guards read their keys in place.
///
/// A context has at most one of these three.
///
/// On the struct:
/// * `#[context(log = path)]`: a function `fn(&mut Struct, &str)` that takes lines of log nodes.
/// * `#[context(crate = path)]`: where Tickseed is, if not at `::tickseed`.
#[proc_macro_derive(Context, attributes(context, key))]
pub fn derive_context(input: TokenStream) -> TokenStream {
    run(input, context)
}

/// Makes a plain-data struct a key block: see `#[context(keys)]` at [`macro@Context`].
///
/// ```
/// # use tickseed_core as tickseed;
/// use tickseed_core::bytemuck::NoUninit;
/// use tickseed_derive::{Context, Keys};
///
/// #[derive(Clone, Copy, Keys, NoUninit)]
/// #[bytemuck(crate = "tickseed_core::bytemuck")] // `"tickseed::bytemuck"` with the crate `tickseed`
/// #[keys(context = Monster, crate = tickseed_core)]
/// #[repr(C)]
/// struct Vitals {
///     health: f32,
///     seen: bool,
///     _pad: [u8; 3], // padding must be explicit: every byte is read
/// }
///
/// #[derive(Context)]
/// #[context(crate = tickseed_core)]
/// struct Monster {
///     #[context(keys)]
///     vitals: Vitals,
///     name: String,
/// }
///
/// let guard = Vitals::HEALTH.gt(0.0).and(Vitals::SEEN.is_true()); // evaluated without a call
/// let vitals = Vitals { health: 1.0, seen: true, _pad: [0; 3] };
/// assert!(guard.holds(&Monster { vitals, name: "imp".into() }));
/// ```
///
/// The struct must be `#[repr(C)]` and `NoUninit` (derive it with `bytemuck`), that is, have no implicit
/// padding. Fields of types other than scalars must be skipped; those whose name begins with `_` are skipped
/// automatically. `#[bytemuck(crate = "..")]` lets that derive find `bytemuck` without a dependency of yours.
/// `#[keys(context = Type)]` (`View<'static>` for a view) adds the typed constants and checks that the struct
/// is that context's block; without it, the keys are known by name only.
#[proc_macro_derive(Keys, attributes(keys, key))]
pub fn derive_keys(input: TokenStream) -> TokenStream {
    run(input, keys)
}

/// Makes a struct's fields the ports of a leaf for tree files. You implement the trait `Leaf` by
/// hand, for what the leaf does, and register the struct with `registry.add::<MoveTo>()`.
///
/// ```
/// use tickseed_core::{Cx, Leaf, Outcome, Status};
/// use tickseed_derive::Leaf;
/// use tickseed_lang::board::Board;
/// use tickseed_lang::registry::{In, Out, Registry};
///
/// /// Drives to a place.
/// #[derive(Leaf)]
/// #[leaf(crate = tickseed_lang)] // not needed with the crate `tickseed`
/// struct MoveTo {
///     /// Where to go.
///     goal: In<[f64; 2]>,
///     /// How near is near enough.
///     #[port(default = 0.5)]
///     within: In<f64>,
///     /// How far it was.
///     #[port(optional)]
///     distance: Out<f64>,
///     /// How many times to try: read once, when the tree is loaded.
///     #[port(default = 3)]
///     tries: u32,
/// }
///
/// impl Leaf<Board> for MoveTo {
///     type State = u32;
///     fn start(&self, tried: &mut u32, cx: &mut Cx<'_, '_, Board>) -> Outcome {
///         let goal = self.goal.get(cx)?;
///         self.distance.set(cx, goal[0].hypot(goal[1]))?;
///         self.tick(tried, cx)
///     }
///     fn tick(&self, tried: &mut u32, _: &mut Cx<'_, '_, Board>) -> Outcome {
///         *tried += 1;
///         Ok(if *tried < self.tries { Status::Running } else { Status::Success })
///     }
/// }
///
/// let mut registry = Registry::new();
/// registry.add::<MoveTo>();
/// let text = "keys { far: float } tree T { MoveTo(goal: vec2(3, 4), distance: far, tries: 1) }";
/// let loaded = tickseed_lang::build::from_text("t.tick", text, &registry).unwrap();
/// let mut board = loaded.board();
/// let status = loaded.tree.tick(&mut loaded.tree.agent(), &mut board, Default::default()).unwrap();
/// assert_eq!(status, Status::Success);
/// assert_eq!(board.by_name("", "far"), Some(tickseed_lang::expr::Datum::Float(5.0)));
/// ```
///
/// **Fields** of type `In<T>`, `Out<T>` and `InOut<T>` are ports; any other field (or `Const<T>`) is
/// a value that must be written in the file. Doc comments become descriptions. On a field:
/// * `#[port(default = ..)]`: its value if the file gives none; `"{key}"` names a key.
/// * `#[port(optional)]`: it may be left out, and then has no value.
/// * `#[port(name = "..")]`: a different name in files.
/// * `#[port(skip)]`: not a port; the field starts with its `Default`.
///
/// On the struct: `#[leaf(name = "..")]`, `#[leaf(condition)]` for a leaf that is a condition,
/// `#[leaf(crate = path)]` for where `tickseed_lang` is, if not at `::tickseed::lang`.
#[proc_macro_derive(Leaf, attributes(leaf, port))]
pub fn derive_leaf(input: TokenStream) -> TokenStream {
    run(input, leaf::derive)
}

fn run(input: TokenStream, derive: fn(DeriveInput) -> syn::Result<Tokens>) -> TokenStream {
    syn::parse(input)
        .and_then(derive)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

fn context(input: DeriveInput) -> syn::Result<Tokens> {
    let parsed = parse::parse(input, parse::Derive::Context)?;
    let model = analyze::analyze(parsed)?;
    Ok(codegen::context(&lower::lower(model)))
}

fn keys(input: DeriveInput) -> syn::Result<Tokens> {
    let parsed = parse::parse(input, parse::Derive::Keys)?;
    let model = analyze::analyze(parsed)?;
    Ok(codegen::keys(&lower::lower(model)))
}
