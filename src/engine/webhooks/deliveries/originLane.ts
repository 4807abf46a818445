import { createHash } from 'node:crypto';
import { stringify } from 'uuid';

/**
 * The lane of custom sends to an origin (`https://example.com`): all of a project's share it. The
 * id is a UUID of version 8, derived by SHA-256.
 */
export function originLane(projectId: string, origin: string): string {
  const bytes = createHash('sha256').update(`${projectId} ${origin}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return stringify(bytes);
}
