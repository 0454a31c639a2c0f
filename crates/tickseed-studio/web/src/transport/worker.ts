import type { Event } from '../protocol';
import EngineWorker from './engine.worker?worker&inline';
import type { Listener, Transport } from './transport';
import { engineBytes } from './wasm';

/** The engine in the page. */
export function inPage(listener: Listener): Transport {
  const worker = new EngineWorker();
  worker.onmessage = (m: MessageEvent<string>) => listener.events(JSON.parse(m.data) as Event[]);
  worker.onerror = (e) => listener.connected(false, `the engine stopped: ${e.message}`);
  engineBytes().then(
    (bytes) => {
      worker.postMessage(bytes, [bytes]);
      listener.connected(true);
    },
    (e: unknown) => listener.connected(false, `the engine could not be loaded: ${String(e)}`),
  );
  return {
    send: (message) => worker.postMessage(JSON.stringify(message)),
    close: () => worker.terminate(),
  };
}
