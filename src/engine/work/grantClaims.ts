/** A ready run that asks to be executed. */
export interface Candidate {
  runId: string;
  position: number;
  slot: string | undefined;
  projectId: string;
}

/** How many may execute at once in a slot or a project, how many do, and who has been waiting longest. */
export interface Room {
  /** Undefined: any number. */
  max: number | undefined;
  inUse: number;
  first: { position: number; runId: string } | undefined;
}

export interface Granted<C extends Candidate> {
  leased: C[];
  /** Those that have to wait, with what they wait for. */
  gated: { candidate: C; gate: 'slot' | 'ceiling' }[];
}

/**
 * 2.2 `concurrency` and the project's ceiling: which of the candidates, given in order, may execute now. A run must clear
 * both limits. Whoever comes behind a run that waits for the same waits too, so that order is kept. Counts what it grants.
 */
export function grantClaims<C extends Candidate>(
  candidates: readonly C[],
  slots: ReadonlyMap<string, Room>,
  projects: ReadonlyMap<string, Room>,
): Granted<C> {
  const used = new Map<Room, number>();
  const granted: Granted<C> = { leased: [], gated: [] };
  const hasRoom = (room: Room | undefined, candidate: C): boolean =>
    !room || room.max === undefined || (inUse(room) < room.max && !isBehind(candidate, room.first));
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

/** By position, then by id: as the queue is ordered. */
function isBehind(candidate: Candidate, first: Room['first']): boolean {
  if (!first) return false;
  if (candidate.position !== first.position) return candidate.position > first.position;
  return candidate.runId > first.runId;
}
