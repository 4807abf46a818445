import { agree } from '../kit/agree.ts';
import type { Scene } from './process.ts';

/** Runs that a person has paused, and nobody but a person may let go on. */
export class Hands {
  readonly #paused = new Set<string>();
  /** By run: how often somebody has begun to resume it, or is through with that. */
  readonly #resumptions = new Map<string, number>();

  get paused(): string[] {
    return [...this.#paused];
  }

  /** Somebody pauses a run; if nobody resumes it at the same moment, it stays paused. */
  async pause(runId: string, work: () => Promise<unknown>): Promise<void> {
    const before = this.#resumptions.get(runId) ?? 0;
    const isPaused = (await work()) !== undefined;
    const after = this.#resumptions.get(runId) ?? 0;
    if (isPaused && before === after && before % 2 === 0) this.#paused.add(runId);
  }

  async resume(runId: string, work: () => Promise<unknown>): Promise<void> {
    this.#paused.delete(runId);
    const count = (): void => void this.#resumptions.set(runId, (this.#resumptions.get(runId) ?? 0) + 1);
    count();
    try {
      await work();
    } finally {
      count();
    }
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
