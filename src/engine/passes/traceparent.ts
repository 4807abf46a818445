import { randomBytes } from 'node:crypto';

const pool = { bytes: Buffer.alloc(0), at: 0 };
const size = 24;

/** A fresh W3C trace context for an invoke: version 00, sampled. */
export function newTraceparent(): string {
  if (pool.at + size > pool.bytes.length) {
    pool.bytes = randomBytes(size * 256);
    pool.at = 0;
  }
  const hex = pool.bytes.toString('hex', pool.at, pool.at + size);
  pool.at += size;
  return `00-${hex.slice(0, 32)}-${hex.slice(32)}-01`;
}
