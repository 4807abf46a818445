/** A ready run that asks to be executed. */
export interface ClaimCandidate extends Place {
  slot: string | undefined;
  projectId: string;
}

/**
 * How many may execute at once in a slot or a project, how many do, and who has been waiting
 * longest.
 */
export interface Room {
  /** Undefined: any number. */
  max: number | undefined;
  inUse: number;
  /** The first who was set aside. */
  first: Place | undefined;
  /** Others who are about to be executed, in order. */
  ready: readonly Place[];
}

/** Where a run stands in line. */
interface Place {
  position: number;
  runId: string;
}

export interface Granted<C extends ClaimCandidate> {
  leased: C[];
  /** Those that have to wait, with what they wait for. */
  gated: { candidate: C; gate: 'slot' | 'ceiling' }[];
}

/**
 * 2.2 `concurrency` and the project's ceiling: which of the candidates, given in order, may execute
 * now. A run must clear both limits. Whoever comes behind a run that waits for the same waits too,
 * and those who come first and are ready have their room promised, so that order is kept. Counts
 * what it grants.
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

const countAhead = (candidate: ClaimCandidate, ready: readonly Place[]): number =>
  ready.filter((each) => isBehind(candidate, each)).length;

/** By position, then by id: as the queue is ordered. */
function isBehind(candidate: ClaimCandidate, other: Place): boolean {
  if (candidate.position !== other.position) return candidate.position > other.position;
  return candidate.runId > other.runId;
}
