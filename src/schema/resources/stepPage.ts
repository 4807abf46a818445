import type { GraphQLResolveInfo } from 'graphql';
import { hasUnsupportedCharacter } from '../../engine/json/index.ts';
import { cursorParts, decodeCursor, encodeCursor, toPage } from '../../engine/paging/index.ts';
import { beforeSteps, type StepPosition } from '../../engine/runs/index.ts';
import type { LoadedStep, StepFilter } from '../loaders/index.ts';
import type { SchemaContext } from '../machinery/context.ts';
import {
  type ConnectionShape,
  fittingSteps,
  fittingStepsAmongOthers,
  type PageArgs,
  readConnection,
} from '../machinery/fittingPage.ts';

const order = 'run.steps';

interface StepPageArgs extends PageArgs {
  name?: string | null | undefined;
  index?: number | null | undefined;
}

/** The position right before a step, as the cursor of a page that begins with it. */
export const cursorBefore = ({ index, attempt }: StepPosition): string => encodeCursor(order, [index, attempt - 1]);

/** A page of a run's steps, in the order of 2.5. Throws `invalid` on a cursor of another list. */
export async function readStepPage(
  context: SchemaContext,
  runId: string,
  args: StepPageArgs,
  info: GraphQLResolveInfo,
): Promise<ConnectionShape<LoadedStep>> {
  const filter: StepFilter = { name: args.name ?? undefined, index: args.index ?? undefined };
  const isFiltered = filter.name !== undefined || filter.index !== undefined;
  // PostgreSQL refuses U+0000, and no stored name contains it.
  const isImpossible = filter.name !== undefined && hasUnsupportedCharacter(filter.name);
  return readConnection(args, async ({ after, limit }) => {
    const position = after === undefined ? beforeSteps : readCursor(after);
    const key = { runId, after: position, limit: limit + 1, ...filter };
    const found = isImpossible ? [] : ((await context.loaders.steps.stepsAfter.load(key)) ?? []);
    const page = toPage(found, limit, ({ index, attempt }) => encodeCursor(order, [index, attempt]));
    return isFiltered ? fittingStepsAmongOthers(context, page, info) : fittingSteps(context, page, info);
  });
}

function readCursor(cursor: string): StepPosition {
  const [index, attempt] = decodeCursor(order, cursor, [cursorParts.int, cursorParts.int]);
  return { index, attempt };
}
