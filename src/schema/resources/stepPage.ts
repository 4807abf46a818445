import type { GraphQLResolveInfo } from 'graphql';
import { cursorParts, decodeCursor, encodeCursor, toPage } from '../../engine/paging/index.ts';
import { beforeSteps, type StepPosition } from '../../engine/runs/index.ts';
import type { LoadedStep } from '../loaders/index.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { type ConnectionShape, fittingSteps, type PageArgs, readConnection } from '../machinery/fittingPage.ts';

const order = 'run.steps';

/** A page of a run's steps, in the order of 2.5. Throws `invalid` on a cursor of another list. */
export async function readStepPage(
  context: SchemaContext,
  runId: string,
  args: PageArgs,
  info: GraphQLResolveInfo,
): Promise<ConnectionShape<LoadedStep>> {
  return readConnection(args, async ({ after, limit }) => {
    const position = after === undefined ? beforeSteps : readCursor(after);
    const found = (await context.loaders.stepsAfter.load({ runId, after: position, limit: limit + 1 })) ?? [];
    const page = toPage(found, limit, ({ index, attempt }) => encodeCursor(order, [index, attempt]));
    return fittingSteps(context, page, info);
  });
}

function readCursor(cursor: string): StepPosition {
  const [index, attempt] = decodeCursor(order, cursor, [cursorParts.int, cursorParts.int]);
  return { index, attempt };
}
