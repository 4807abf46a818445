import type { Path, PayloadPlace } from '../declare/tool.ts';

/** What `read_payload` reads from, by the argument with the owner's id. */
export const owners = ['runId', 'eventId', 'approvalId', 'deliveryId', 'sourceDeliveryId'] as const;
export type Owner = (typeof owners)[number];

/** The place of a value of an owner: its path in what the owner's `get_` tool answers. */
export const placeOf = (owner: Owner, id: unknown, path: Path): PayloadPlace | undefined =>
  typeof id === 'string' ? { of: { [owner]: id }, path } : undefined;

/** Places in a body that has the owner's id. */
export const placesIn =
  (owner: Owner) =>
  (path: Path, body: unknown): PayloadPlace | undefined =>
    placeOf(owner, Reflect.get(Object(body), 'id'), path);

/** The name of a step's attempt in a path: steps of a run may share a name. */
export const attemptName = (index: unknown, attempt: unknown): string => `${String(index)}.${String(attempt)}`;

const attemptPattern = /^(\d{1,9})\.(\d{1,9})$/;

export function readAttemptName(text: string): { index: number; attempt: number } | undefined {
  const [, index, attempt] = attemptPattern.exec(text) ?? [];
  return index === undefined ? undefined : { index: Number(index), attempt: Number(attempt) };
}
