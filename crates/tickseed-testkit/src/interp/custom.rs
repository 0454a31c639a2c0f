//! Custom nodes: the user's rule, run through core's `BranchHost`.

use tickseed_core::interpret::BranchHost;
use tickseed_core::{Branches, Context, Cx, History, LeafError, NodeId, Status, Stop};

use super::{Fault, Run};

impl<'t, 'a, C: Context> Run<'_, 't, '_, 'a, C> {
    pub(super) fn custom(&mut self, id: NodeId, fresh: bool) -> Result<Status, Fault> {
        self.state(id).last = None;
        let rule = self.functions(id).custom();
        let mut host = Host {
            run: self,
            id,
            fault: None,
        };
        let answer = rule.tick(&mut Branches::new(&mut host, fresh));
        // A leaf's error ends the tick even if the rule swallows it.
        let fault = host.fault.take();
        match (fault, answer) {
            (Some(fault), _) => Err(fault),
            (None, Ok(status)) => Ok(status),
            (None, Err(stop)) => Err(Fault {
                node: id,
                error: stop
                    .into_error()
                    .unwrap_or_else(|| LeafError::new("stopped without a reason")),
            }),
        }
    }

    pub(super) fn halt_custom(&mut self, id: NodeId) {
        let rule = self.functions(id).custom();
        let mut bytes = core::mem::take(&mut self.state(id).bytes);
        let mut memory = self.state(id).history.take();
        let memory_bytes = match &mut memory {
            Some(History::Memory(bytes)) => bytes.as_mut_slice(),
            _ => &mut [],
        };
        rule.halt(&mut bytes, memory_bytes, &mut self.cx());
        self.state(id).bytes = bytes;
        self.state(id).history = memory;
    }
}

/// Serves one custom node for one tick. After a fault below the node, it does nothing more.
struct Host<'h, 'r, 't, 'x, 'a, C: Context> {
    run: &'h mut Run<'r, 't, 'x, 'a, C>,
    id: NodeId,
    fault: Option<Fault>,
}

impl<C: Context> BranchHost<C> for Host<'_, '_, '_, '_, '_, C> {
    fn len(&self) -> usize {
        self.run.node(self.id).children.len()
    }

    fn tick(&mut self, child: usize) -> Result<Status, Stop> {
        if self.fault.is_some() {
            return Err(Stop::passed_on());
        }
        self.run.state(self.id).last = Some(child);
        let child = self.run.child(self.id, child);
        self.run.tick_thread(child).map_err(|fault| {
            self.fault = Some(fault);
            Stop::passed_on()
        })
    }

    fn halt(&mut self, child: usize) {
        if self.fault.is_none() {
            let child = self.run.child(self.id, child);
            self.run.halt(child);
        }
    }

    fn is_running(&self, child: usize) -> bool {
        let child = self.run.child(self.id, child);
        self.run.states[child.0 as usize].active
    }

    fn with_cx(&mut self, f: &mut dyn FnMut(&mut Cx<'_, '_, C>)) {
        f(&mut self.run.cx());
    }

    fn state(&mut self) -> &mut [u8] {
        &mut self.run.state(self.id).bytes
    }

    fn memory(&mut self) -> &mut [u8] {
        match &mut self.run.state(self.id).history {
            Some(History::Memory(bytes)) => bytes,
            _ => &mut [],
        }
    }
}
