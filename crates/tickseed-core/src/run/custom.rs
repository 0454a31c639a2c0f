//! Serving a custom node: its children are threads.

use super::{Env, Failed};
use crate::compile::{CustomSpec, IDLE};
use crate::context::{Context, Cx};
use crate::custom::{BranchHost, Branches, Stop};
use crate::def::NodeId;
use crate::status::Status;

struct Host<'h, 'e, 'x, 'a, C: Context> {
    env: &'h mut Env<'e, 'x, 'a, C>,
    spec: CustomSpec,
    last: Option<u32>,
}

impl<C: Context> BranchHost<C> for Host<'_, '_, '_, '_, C> {
    fn len(&self) -> usize {
        self.spec.children as usize
    }
    fn tick(&mut self, child: usize) -> Result<Status, Stop> {
        if self.env.beside.faults().any() {
            // The rule went on after a child had failed or panicked: nothing more is ticked.
            return Err(Stop::passed_on());
        }
        self.last = Some(child as u32);
        self.env
            .thread(self.spec.first + child as u32)
            .map_err(|Failed| Stop::passed_on())
    }
    fn halt(&mut self, child: usize) {
        if !self.env.beside.faults().any() {
            self.env.halt_thread(self.spec.first + child as u32);
        }
    }
    fn is_running(&self, child: usize) -> bool {
        self.env.resume_point(self.spec.first + child as u32) != IDLE
    }
    fn with_cx(&mut self, f: &mut dyn FnMut(&mut Cx<'_, '_, C>)) {
        f(&mut self.env.cx);
    }
    fn state(&mut self) -> &mut [u8] {
        &mut self.env.mem
            [self.spec.state as usize..(self.spec.state + self.spec.state_len) as usize]
    }
    fn memory(&mut self) -> &mut [u8] {
        &mut self.env.mem
            [self.spec.memory as usize..(self.spec.memory + self.spec.memory_len) as usize]
    }
}

impl<C: Context> Env<'_, '_, '_, C> {
    /// Begins an activation.
    pub(crate) fn custom_start(&mut self, custom: u32) {
        let spec = self.prog().customs[custom as usize];
        self.mem[spec.state as usize..(spec.state + spec.state_len) as usize].fill(0);
        for child in 0..spec.children {
            self.set_resume_point(spec.first + child, IDLE);
        }
    }

    /// One tick; when the node finishes, halts the leftover children.
    pub(crate) fn custom_tick(
        &mut self,
        custom: u32,
        fresh: bool,
        node: NodeId,
    ) -> Result<Status, Failed> {
        let spec = self.prog().customs[custom as usize];
        let rule = &self.funcs().customs[spec.func as usize];
        let mut host = Host {
            env: self,
            spec,
            last: None,
        };
        let result = rule.tick(&mut Branches::new(&mut host, fresh));
        let last = host.last;
        match result {
            // A rule cannot hide a child's error by swallowing it, nor a panic by catching it,
            // since the child is half done.
            _ if self.beside.faults().any() => {
                if !self.beside.faults().failed() {
                    let error = "a child panicked, and the node caught it and went on: end what panics in the leaf itself, or let it pass";
                    let error = crate::leaf::LeafError::new(error);
                    self.beside
                        .faults()
                        .note(|fault| fault.error = Some((node, error)));
                }
                Err(Failed)
            }
            Ok(status) => {
                if let Some(c) = last {
                    self.mark_decided(node, self.prog().child_nodes[(spec.nodes + c) as usize]);
                }
                if status != Status::Running {
                    for child in 0..spec.children {
                        self.halt_thread(spec.first + child);
                    }
                }
                Ok(status)
            }
            Err(stop) => {
                let error = stop.into_error().unwrap_or_else(|| {
                    crate::leaf::LeafError::new("the node stopped without an error of its own")
                });
                self.beside
                    .faults()
                    .note(|fault| fault.error = Some((node, error)));
                Err(Failed)
            }
        }
    }

    /// The halt hook.
    pub(crate) fn halt_custom(&mut self, custom: u32) {
        let spec = self.prog().customs[custom as usize];
        let rule = &self.funcs().customs[spec.func as usize];
        let (s, m) = (spec.state as usize, spec.memory as usize);
        let (state_len, memory_len) = (spec.state_len as usize, spec.memory_len as usize);
        // In the block, history comes before frames.
        let (front, back) = self.mem.split_at_mut(s);
        rule.halt(
            &mut back[..state_len],
            &mut front[m..m + memory_len],
            &mut self.cx,
        );
    }
}
