import { agree } from '../kit/agree.ts';
import type { Scene } from './process.ts';

/**
 * Who asks for a run to be resumed: how many have begun to, and how many are not through with it.
 */
interface Resumptions {
  begun: number;
  underWay: number;
}

/** Runs that a person has paused, and nobody but a person may let go on. */
export class Hands {
  readonly #paused = new Set<string>();
  readonly #resumptions = new Map<string, Resumptions>();

  get paused(): string[] {
    return [...this.#paused];
  }

  /** Somebody pauses a run; if nobody resumes it at the same moment, it stays paused. */
  async pause(runId: string, work: () => Promise<unknown>): Promise<void> {
    const { begun, underWay } = this.#resumptionsOf(runId);
    const isPaused = (await work()) !== undefined;
    if (isPaused && underWay === 0 && this.#resumptionsOf(runId).begun === begun) this.#paused.add(runId);
  }

  async resume(runId: string, work: () => Promise<unknown>): Promise<void> {
    this.#paused.delete(runId);
    const resumptions = this.#resumptionsOf(runId);
    resumptions.begun += 1;
    resumptions.underWay += 1;
    try {
      await work();
    } finally {
      resumptions.underWay -= 1;
    }
  }

  #resumptionsOf(runId: string): Resumptions {
    const resumptions = this.#resumptions.get(runId) ?? { begun: 0, underWay: 0 };
    this.#resumptions.set(runId, resumptions);
    return resumptions;
  }
}

/** At every moment: what a person has paused is paused by hand, or over (I12). */
export async function agreeThatHandsAreKept({ db, projectId, ledger, coverage }: Scene): Promise<void> {
  const { paused } = ledger.hands;
  if (paused.length === 0) return;
  const { rows } = await db.query<{ id: string; paused_reason: string | null }>({
    name: 'pausedByHand',
    text: 'select id, paused_reason from run where project_id = $1 and id = any($2::uuid[]) and ended_at is null order by id',
    values: [projectId, paused],
  });
  const undone = rows.filter((row) => row.paused_reason !== 'manual');
  agree('runs that a person has paused and that are not paused so', undone, []);
  if (rows.length > 0) coverage.count('budget', 'kept by hand');
}
