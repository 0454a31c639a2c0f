//! Cases from real users' trouble with behaviour-tree engines, each a test that is named
//! after its case, and more of the same kind.
//!
//! The letters: H halting, R reactive and memory, P parallel, D decorators, T time and
//! chance, L guards' order, A errors, U use, M several agents, V change, E names, F memory.

mod rig;

mod a_errors;
mod a_panics;
mod d_decorators;
mod f_frames;
mod h_halting;
mod kinds;
mod p_parallel;
mod r_reactive;
mod remote;
mod siblings;
mod t_time;
mod tables;
mod u_use;
