import type { Event } from '../protocol';
import type { Listener, Transport } from './transport';

/** Between two attempts to reach a process that is gone, in milliseconds. */
const AGAIN = 400;
/** So often it is asked whether it is there, in milliseconds. */
const PULSE = 400;
/**
 * When it was asked so often and has said nothing, it is gone. Counted, not timed: a page that
 * was not given the processor for a while has not listened, and finds the answers afterwards.
 */
const MISSED = 3;

/** A process, over its WebSocket. Comes back by itself when the process does. */
export function overSocket(address: string, listener: Listener): Transport {
  let socket: WebSocket | undefined;
  let closed = false;
  let heard = false;
  let missed = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    const own = new WebSocket(address);
    let opened = false;
    socket = own;
    own.onopen = () => {
      opened = true;
      heard = true;
      listener.connected(true);
    };
    own.onmessage = (m: MessageEvent<string>) => {
      heard = true;
      listener.events([JSON.parse(m.data) as Event]);
    };
    own.onclose = () => {
      if (closed || socket !== own) return;
      lost(opened);
    };
  }

  function lost(opened: boolean): void {
    socket = undefined;
    if (opened) listener.connected(false, 'The process is gone. Waiting for it to come back.');
    timer = setTimeout(connect, AGAIN);
  }

  const pulse = setInterval(() => {
    const own = socket;
    if (own?.readyState !== WebSocket.OPEN) return;
    missed = heard ? 0 : missed + 1;
    heard = false;
    if (missed < MISSED) {
      own.send('{"do":"ping"}');
      return;
    }
    // A process that hangs does not answer a farewell either: it is not waited for.
    lost(true);
    own.onmessage = null;
    own.close();
  }, PULSE);
  connect();
  return {
    send(message) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close() {
      closed = true;
      clearInterval(pulse);
      clearTimeout(timer);
      socket?.close();
    },
  };
}
