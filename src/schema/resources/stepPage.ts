import type { GraphQLResolveInfo } from 'graphql';
import { invalid } from '../../engine/errors.ts';
import { decodeCursor, encodeCursor, type Page, pageSize, toPage } from '../../engine/paging/index.ts';
import { beforeSteps, type StepPosition } from '../../engine/runs/index.ts';
import type { LoadedStep } from '../loaders/index.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { type ConnectionShape, fittingSteps, toConnection } from '../machinery/fittingPage.ts';

const order = 'run.steps';
export interface StepPageArgs {
  first?: number | null | undefined;
  /** A cursor of this list. */
  after?: string | null | undefined;
}

/**
 * A page of a run's steps, in the order of 2.5. Throws `invalid` on a cursor that it did not issue.
 */
export async function readStepPage(
  context: SchemaContext,
  runId: string,
  { first, after }: StepPageArgs,
  info: GraphQLResolveInfo,
): Promise<ConnectionShape<LoadedStep>> {
  const limit = pageSize(first, 'first');
  const cursor = after ?? undefined;
  const position = cursor === undefined ? beforeSteps : readCursor(cursor);
  const found = (await context.loaders.stepsAfter.load({ runId, after: position, limit: limit + 1 })) ?? [];
  const page = toPage(found, limit, ({ index, attempt }) => encodeCursor(order, [index, attempt]));
  return toConnection(ofOneSpan(position, await fittingSteps(context, page, info)), cursor);
}

/** Payloads are read for the steps that stay on the page, not for all that were found. */
function ofOneSpan(after: StepPosition, page: Page<LoadedStep>): Page<LoadedStep> {
  const last = page.rows.at(-1);
  if (!last) return page;
  const span = { runId: last.runId, after, upTo: last };
  return { ...page, rows: page.rows.map((row) => ({ ...row, span })) };
}

function readCursor(cursor: string): StepPosition {
  const [index, attempt] = decodeCursor(order, cursor);
  if (typeof index !== 'number' || typeof attempt !== 'number') throw invalid('cursor is damaged');
  return { index, attempt };
}
