/** A ready run that a claim has picked. */
export interface ClaimCandidate extends QueuePosition {
  slot: string | undefined;
  projectId: string;
}

/** The limit of a slot or a project, its use, and the runs that come first. */
export interface Room {
  /** Undefined: no limit. */
  max: number | undefined;
  inUse: number;
  /** The first gated run. */
  first: QueuePosition | undefined;
  /** Other ready runs, in queue order. */
  ready: readonly QueuePosition[];
}

/** The position of a run in its queue. Equal positions are ordered by id. */
interface QueuePosition {
  position: number;
  runId: string;
}

export interface Granted<C extends ClaimCandidate> {
  leased: C[];
  /** The runs that have to wait, each with the limit that it waits for. */
  gated: { candidate: C; gate: 'slot' | 'ceiling' }[];
}

/**
 * 2.2 `concurrency` and the project's ceiling: decides which of the candidates, given in queue
 * order, may execute now. A run must pass both limits. To keep the order, a run behind a gated run
 * of the same slot or project waits, too, and ready runs ahead of it keep their permits.
 */
export function grantClaims<C extends ClaimCandidate>(
  candidates: readonly C[],
  slots: ReadonlyMap<string, Room>,
  projects: ReadonlyMap<string, Room>,
): Granted<C> {
  const used = new Map<Room, number>();
  const granted: Granted<C> = { leased: [], gated: [] };
  const hasRoom = (room: Room | undefined, candidate: C): boolean =>
    !room ||
    room.max === undefined ||
    (inUse(room) + countAhead(candidate, room.ready) < room.max && !(room.first && isBehind(candidate, room.first)));
  const inUse = (room: Room): number => used.get(room) ?? room.inUse;
  for (const candidate of candidates) {
    const slot = candidate.slot === undefined ? undefined : slots.get(candidate.slot);
    const project = projects.get(candidate.projectId);
    if (!hasRoom(slot, candidate)) granted.gated.push({ candidate, gate: 'slot' });
    else if (!hasRoom(project, candidate)) granted.gated.push({ candidate, gate: 'ceiling' });
    else {
      granted.leased.push(candidate);
      for (const room of [slot, project]) if (room) used.set(room, inUse(room) + 1);
    }
  }
  return granted;
}

const countAhead = (candidate: ClaimCandidate, ready: readonly QueuePosition[]): number =>
  ready.filter((each) => isBehind(candidate, each)).length;

function isBehind(candidate: ClaimCandidate, other: QueuePosition): boolean {
  if (candidate.position !== other.position) return candidate.position > other.position;
  return candidate.runId > other.runId;
}
