import { newId } from '../../../ids.ts';
import type { BufferScope, PlannedStart, ScopeGroup } from '../../index.ts';

/** The limits of every buffer, in addition to those of its policy. */
export interface BufferLimits {
  /** Events in one buffer. */
  batchMaxEvents: number;
  /** Payload bytes in one buffer. A larger event gets a buffer of its own. */
  batchMaxBytes: number;
}

/** The open buffer of a scope, locked. */
export interface OpenBuffer {
  id: string;
  items: number;
  bytes: number;
}

export interface FilledBuffer extends OpenBuffer {
  scope: BufferScope;
  timeoutMs: number;
  /** Full: it takes no more starts, and is flushed as soon as possible. */
  closed: boolean;
}

export interface Filling {
  /** The state of the scope's first buffer after the starts. */
  first: FilledBuffer;
  /** Buffers that were opened because others were full, in order. Only the last may be open. */
  further: FilledBuffer[];
  /** The buffer and the position of each start. */
  items: { bufferId: string; position: number; run: PlannedStart }[];
}

interface BatchPolicy {
  maxSize: number;
  timeoutMs: number;
}

/**
 * Puts starts of one scope into its buffers, in order. When a buffer is full, the next one is
 * opened.
 */
export function fillBuffers(
  open: OpenBuffer,
  { scope, asking }: Pick<ScopeGroup<BatchPolicy>, 'scope' | 'asking'>,
  limits: BufferLimits,
): Filling {
  const first: FilledBuffer = { ...open, scope, timeoutMs: 0, closed: false };
  const further: FilledBuffer[] = [];
  const items: Filling['items'] = [];
  let current = first;
  for (const { candidate, policy } of asking) {
    const maxItems = Math.min(policy.maxSize, limits.batchMaxEvents);
    const bytes = Buffer.byteLength(candidate.run.input.text);
    if (!hasRoom(current, maxItems, limits.batchMaxBytes - bytes)) {
      current.closed = true;
      current = { id: newId(), items: 0, bytes: 0, scope, timeoutMs: policy.timeoutMs, closed: false };
      further.push(current);
    }
    candidate.bufferId = current.id;
    items.push({ bufferId: current.id, position: current.items, run: candidate.run });
    current.items += 1;
    current.bytes += bytes;
    current.closed = current.items >= maxItems || current.bytes >= limits.batchMaxBytes;
  }
  return { first, further, items };
}

/** An empty buffer takes any start, whatever its size. */
const hasRoom = ({ items, bytes, closed }: FilledBuffer, maxItems: number, maxBytes: number): boolean =>
  !closed && (items === 0 || (items < maxItems && bytes <= maxBytes));
