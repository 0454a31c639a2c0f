import type { Event } from '../protocol';
import type { Listener, Transport } from './transport';

/** Between two attempts to reach a process that is gone, in milliseconds. */
const AGAIN = 400;
/** A process that says nothing for so long, although it was asked, is gone. */
const PATIENCE = 1300;
/** So often it is asked. */
const PULSE = 400;

/** A process, over its WebSocket. Comes back by itself when the process does. */
export function overSocket(address: string, listener: Listener): Transport {
  let socket: WebSocket | undefined;
  let closed = false;
  let heard = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    const own = new WebSocket(address);
    let opened = false;
    socket = own;
    own.onopen = () => {
      opened = true;
      heard = performance.now();
      listener.connected(true);
    };
    own.onmessage = (m: MessageEvent<string>) => {
      heard = performance.now();
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
    if (performance.now() - heard < PATIENCE) {
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
