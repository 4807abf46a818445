import { type ParsedEvent, planEvent } from '../../events/index.ts';
import { ingestWithin } from '../../ingest/index.ts';
import type { StepRow } from '../commit.ts';
import { type DeedScene, StaleSnapshot } from './deed.ts';

/** Records an emitted event and starts what it triggers, one level deeper (6.1). The memo names both. */
export async function emitEvent(scene: DeedScene, step: StepRow, event: ParsedEvent): Promise<StepRow> {
  const { ctx, tx, snapshot, pass, intakes } = scene;
  const origin = { source: 'emit', sourceRunId: pass.runId, depth: pass.depth + 1 } as const;
  const { intake, eventId, triggered } = await planEvent(ctx, snapshot, event, origin);
  const [outcome] = await ingestWithin(ctx, tx, [intake]);
  if (!outcome || outcome.kind === 'stale') throw new StaleSnapshot();
  if (outcome.kind === 'deduped') return { ...step, output: JSON.stringify({ eventId: outcome.refId, runIds: [] }) };
  intakes.push(intake);
  const runIds = triggered.flatMap((each) => each.runId ?? []);
  return { ...step, output: JSON.stringify({ eventId, runIds }) };
}
