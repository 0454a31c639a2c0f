//! Cases from real users' trouble with the files of behaviour-tree engines, each a test that is
//! named after its case, and more of the same kind.
//!
//! The letters: B blackboard and ports, S subtrees and includes, X malformed files, L scripts and
//! guards, E editors, U stand-ins for leaves, V live change. `strange` holds files of strangers: what no author means to
//! write and every reader must survive.

mod b_ports;
mod e_editor;
mod l_scripts;
mod messages;
mod more;
mod parity;
mod reading;
mod regressions;
mod s_subtrees;
mod slips;
mod strange;
mod u_doubles;
mod v_live;
mod wild;
mod world;
mod x_files;
