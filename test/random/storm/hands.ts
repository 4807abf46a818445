import { agree } from '../kit/agree.ts';
import type { Scene } from './process.ts';

/** The requests to resume a run: how many have begun, and how many have not ended. */
interface Resumptions {
  begun: number;
  underWay: number;
}

/** Runs that a person paused, which only a person may resume. */
export class Hands {
  readonly #paused = new Set<string>();
  readonly #resumptions = new Map<string, Resumptions>();

  get paused(): string[] {
    return [...this.#paused];
  }

  /** A person pauses a run. If no one resumes it at the same moment, it stays paused. */
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

/** At any moment, a run that a person paused is paused by hand, or has ended (I12). */
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
