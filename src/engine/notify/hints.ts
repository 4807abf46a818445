import type { Bus, RunRef } from '../bus.ts';

/**
 * Hints for other processes, coalesced: many commits make one message. Hints that do not fit are
 * dropped, because polling finds the same.
 */
export interface Hints {
  lanes: Set<number>;
  /** The earliest due time, in ms from now. */
  dueInMs: number | undefined;
  runs: Map<string, RunRef>;
  events: Map<string, { projectId: string; eventId: string; app: string; name: string }>;
  projects: Set<string>;
  cancelled: Map<string, string>;
  pausing: Set<string>;
  keys: Set<string>;
  approvals: Map<string, string>;
  deliveries: Map<string, string>;
  /** Whether deliveries wait to be attempted. */
  deliveryDue: boolean;
  /** Whether model calls wait to be sent. */
  inferenceDue: boolean;
}

export const noHints = (): Hints => ({
  lanes: new Set(),
  dueInMs: undefined,
  runs: new Map(),
  events: new Map(),
  projects: new Set(),
  cancelled: new Map(),
  pausing: new Set(),
  keys: new Set(),
  approvals: new Map(),
  deliveries: new Map(),
  deliveryDue: false,
  inferenceDue: false,
});

/** Collects messages of the bus into the hints that `current` returns. Call the result to stop. */
export function collect(bus: Bus, current: () => Hints | undefined): () => void {
  const stops = [
    bus.on('work.ready', ({ laneIds }) => {
      for (const id of laneIds) current()?.lanes.add(id);
    }),
    bus.on('work.due', ({ inMs }) => addDue(current(), inMs)),
    bus.on('run.due', ({ inMs }) => addDue(current(), inMs)),
    bus.on('run.frames', (run) => addRun(current(), run)),
    bus.on('run.moved', ({ runs }) => {
      for (const run of runs) addRun(current(), run);
    }),
    bus.on('event.ingested', (event) => current()?.events.set(event.eventId, event)),
    bus.on('registry.changed', ({ projectId }) => current()?.projects.add(projectId)),
    bus.on('run.cancelled', ({ runId, reason }) => current()?.cancelled.set(runId, reason)),
    bus.on('run.pausing', ({ runId }) => current()?.pausing.add(runId)),
    bus.on('key.revoked', ({ keyId }) => current()?.keys.add(keyId)),
    bus.on('approval.changed', ({ projectId, approvalId }) => current()?.approvals.set(approvalId, projectId)),
    bus.on('delivery.changed', ({ projectId, deliveryId }) => current()?.deliveries.set(deliveryId, projectId)),
    bus.on('delivery.due', () => {
      const hints = current();
      if (hints) hints.deliveryDue = true;
    }),
    bus.on('inference.due', () => {
      const hints = current();
      if (hints) hints.inferenceDue = true;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function addDue(hints: Hints | undefined, inMs: number): void {
  if (hints) hints.dueInMs = Math.min(hints.dueInMs ?? inMs, inMs);
}

function addRun(hints: Hints | undefined, { projectId, runId, app, workflow }: RunRef): void {
  hints?.runs.set(runId, { projectId, runId, app, workflow });
}

/** PostgreSQL refuses a longer notification. */
const maxBytes = 7_900;

type Wire = { from: string } & { [kind: string]: unknown };

/**
 * Encodes the hints as one notification. If they are too long, the least urgent ones are dropped.
 */
export function encode(from: string, hints: Hints): string {
  const parts: [string, unknown[] | number | true | undefined][] = [
    ['keys', [...hints.keys]],
    ['projects', [...hints.projects]],
    ['cancelled', [...hints.cancelled]],
    ['lanes', [...hints.lanes]],
    ['dueInMs', hints.dueInMs],
    ['deliveryDue', hints.deliveryDue || undefined],
    ['inferenceDue', hints.inferenceDue || undefined],
    ['pausing', [...hints.pausing]],
    ['approvals', [...hints.approvals]],
    ['events', [...hints.events.values()]],
    ['frames', [...hints.runs.values()]],
    ['deliveries', [...hints.deliveries]],
  ];
  const wire: Wire = { from };
  let left = maxBytes - 100;
  for (const [kind, value] of parts) {
    const fitting = Array.isArray(value) ? shorten(value, left) : value;
    wire[kind] = fitting;
    left -= Buffer.byteLength(JSON.stringify(fitting) ?? '') + kind.length + 4;
  }
  return JSON.stringify(wire);
}

function shorten(values: unknown[], bytes: number): unknown[] {
  let left = bytes;
  const end = values.findIndex((value) => {
    left -= Buffer.byteLength(JSON.stringify(value)) + 1;
    return left < 0;
  });
  return end < 0 ? values : values.slice(0, end);
}

interface Received {
  from: string;
  keys: string[];
  projects: string[];
  cancelled: [string, string][];
  /** Absent in messages of the former version. */
  pausing?: string[];
  lanes: number[];
  dueInMs?: number;
  approvals: [string, string][];
  /** Absent in messages of the former version, like `deliveryDue` and `inferenceDue`. */
  deliveries?: [string, string][];
  deliveryDue?: true;
  inferenceDue?: true;
  events: { projectId: string; eventId: string; app: string; name: string }[];
  frames: RunRef[];
}

/**
 * Emits the hints of another process on this process's bus. Ignores our own messages, and returns
 * false.
 */
export function relay(bus: Bus, self: string, message: string): boolean {
  const hints: Received = JSON.parse(message);
  if (hints.from === self) return false;
  for (const keyId of hints.keys) bus.emit('key.revoked', { keyId });
  for (const projectId of hints.projects) bus.emit('registry.changed', { projectId });
  for (const [runId, reason] of hints.cancelled) bus.emit('run.cancelled', { runId, reason });
  for (const runId of hints.pausing ?? []) bus.emit('run.pausing', { runId });
  if (hints.lanes.length > 0) bus.emit('work.ready', { laneIds: hints.lanes });
  if (hints.dueInMs !== undefined) bus.emit('work.due', { inMs: hints.dueInMs });
  for (const [approvalId, projectId] of hints.approvals) bus.emit('approval.changed', { projectId, approvalId });
  for (const [deliveryId, projectId] of hints.deliveries ?? []) bus.emit('delivery.changed', { projectId, deliveryId });
  if (hints.deliveryDue) bus.emit('delivery.due', {});
  if (hints.inferenceDue) bus.emit('inference.due', {});
  for (const event of hints.events) bus.emit('event.ingested', event);
  if (hints.frames.length > 0) bus.emit('run.moved', { runs: hints.frames });
  return true;
}
