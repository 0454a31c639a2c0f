//! The presets against tiny literal interpreters of the four source documents, tick by tick
//! on random trees and leaf scripts; and document 004's conformance list as a table.

mod classic;
mod conformance;
mod flat;
mod harness;
mod pure;
mod skill;
