/** A model of `debounce` and `batch`: the buffered events of each scope, and the flushed ones. */
export class BufferModel {
  policy: Policy = { periodMs: 1, maxSize: 1, timeoutMs: 1 };
  isSuspended = false;
  readonly debounced = new Map<string, Pending>();
  readonly batches = new Map<string, Gathering[]>();
  /** The runs of each scope. An entry lists the events of which the run may have kept one. */
  readonly runs = new Map<string, number[][]>();
  /** The number of events in each batched run, by scope. */
  readonly sizes = new Map<string, number[]>();

  /** Adds events that arrive at the same time. Any event of a scope may be the last one. */
  arrive(now: number, events: readonly Sent[]): void {
    if (this.isSuspended) return;
    const last = new Map<string, number[]>();
    for (const { scope, n } of events) {
      listOf(last, scope).push(n);
      this.#gather(now, scope);
    }
    for (const [scope, candidates] of last) {
      this.debounced.set(scope, { due: now + this.policy.periodMs, since: now, candidates });
    }
  }

  #gather(now: number, scope: string): void {
    const { maxSize, timeoutMs } = this.policy;
    const all = listOf(this.batches, scope);
    let open = all.find((each) => each.isOpen);
    if (!open) {
      open = { items: 0, due: now + timeoutMs, since: now, isOpen: true };
      all.push(open);
    }
    open.items += 1;
    if (open.items >= maxSize) close(open, now);
  }

  /** Changes the policies, also for buffered events. */
  register(now: number, policy: Policy): void {
    const former = this.policy;
    this.policy = policy;
    for (const pending of this.debounced.values()) pending.due += policy.periodMs - former.periodMs;
    for (const batch of [...this.batches.values()].flat()) {
      if (!batch.isOpen) continue;
      if (batch.items >= policy.maxSize) close(batch, now);
      else batch.due += policy.timeoutMs - former.timeoutMs;
    }
  }

  /** Sets the clock back. Waits that began more than a minute from now begin again. */
  reanchor(now: number): void {
    for (const wait of [...this.debounced.values(), ...[...this.batches.values()].flat()]) {
      if (wait.since <= now + 60_000) continue;
      wait.due = now + Math.max(0, wait.due - wait.since);
      wait.since = now;
    }
  }

  flush(now: number): void {
    const later = now + 30_000;
    for (const [scope, pending] of this.debounced) {
      if (pending.due > now) continue;
      if (this.isSuspended) pending.due = later;
      else {
        listOf(this.runs, scope).push(pending.candidates);
        this.debounced.delete(scope);
      }
    }
    for (const [scope, all] of this.batches) {
      const due = all.filter((each) => each.due <= now);
      if (this.isSuspended) for (const each of due) each.due = later;
      else {
        listOf(this.sizes, scope).push(...due.flatMap(({ items }) => chunks(items, this.policy.maxSize)));
        this.batches.set(
          scope,
          all.filter((each) => each.due > now),
        );
      }
    }
  }
}

/** A full batch takes no more events, and is due. */
function close(batch: Gathering, now: number): void {
  batch.isOpen = false;
  batch.due = Math.min(batch.due, now);
}

interface Wait {
  due: number;
  /** When the wait began. For `debounce`, that is the time of the last event. */
  since: number;
}

export interface Policy {
  periodMs: number;
  maxSize: number;
  timeoutMs: number;
}

export interface Sent {
  scope: string;
  n: number;
}

export interface Pending extends Wait {
  candidates: number[];
}

export interface Gathering extends Wait {
  items: number;
  isOpen: boolean;
}

export function listOf<Value>(map: Map<string, Value[]>, key: string): Value[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

const chunks = (items: number, size: number): number[] =>
  items <= size ? [items] : [size, ...chunks(items - size, size)];
