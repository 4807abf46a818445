import type { GraphQLResolveInfo } from 'graphql';
import { invalid } from '../../engine/errors.ts';
import { decodeCursor, encodeCursor, pageSize, toPage } from '../../engine/paging/index.ts';
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
  return toConnection(await fittingSteps(context, page, info), cursor);
}

function readCursor(cursor: string): StepPosition {
  const [index, attempt] = decodeCursor(order, cursor);
  if (typeof index !== 'number' || typeof attempt !== 'number') throw invalid('cursor is damaged');
  return { index, attempt };
}
