import type { Status } from '../protocol';
import type { Eras } from './eras';
import type { History } from './history';

/** What something was in a tick: a node's answer (`null`: an error), or nothing. */
type At = (tick: number) => string | null | undefined;

/** A node's last answer, tick by tick; in ticks of other trees it is found by its path. */
export function answers(history: History, eras: Eras, path: string): At {
  return (tick) => {
    const node = eras.node(tick, path);
    return node === undefined ? undefined : history.answer(tick, node);
  };
}

/** The answer of the tree as a whole. */
export function outcomes(history: History): At {
  return (tick) => history.answer(tick, 0);
}

/** The leaf that decided, by its path. */
export function deciders(history: History, eras: Eras): At {
  return (tick) => {
    const deciding = history.get(tick)?.deciding;
    return deciding === undefined ? undefined : eras.nodes(tick)[deciding]?.path;
  };
}

/** The nearest tick, going on or back from one, in which something is not what it was in the tick before. */
export function change(at: At, history: History, from: number, by: 1 | -1): number | undefined {
  for (let t = from + by; t >= 1 && t <= history.latest; t += by) {
    if (!history.get(t) || (t > 1 && !history.get(t - 1))) continue;
    if (at(t) !== at(t - 1) && t > 1) return t;
  }
  return undefined;
}

/** The latest tick before this one that began a failure, or an error. */
export function failure(at: At, history: History, before: number): number | undefined {
  const failed = (t: number) => {
    const was: string | null | undefined = at(t);
    return was === null || was === ('failure' satisfies Status);
  };
  for (let t = before - 1; t >= 1; t--) if (failed(t) && !failed(t - 1)) return t;
  return undefined;
}
