import type { EngineContext } from '../context.ts';
import { isTerminal, type RunRow } from '../runs/index.ts';
import type { RunDiagnosis } from './diagnosis.ts';
import type { RunWait } from './runWait.ts';

/** Derives why a run failed, or does not move, and what could be done. */
export async function diagnoseRun(
  _ctx: EngineContext,
  run: RunRow,
  readCauses: () => Promise<readonly RunWait[]>,
): Promise<RunDiagnosis> {
  const causes = isTerminal(run.status) ? [] : await readCauses();
  const verdict = run.status === 'needs_attention' ? 'needs_decision' : run.status;
  return { status: run.status, verdict, summary: '', causes, failure: undefined, cancellation: undefined, next: [] };
}
