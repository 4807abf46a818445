import { notFound } from '../../engine/errors.ts';
import { endOfPage, type JsonSchema, listWorkflows, valueAt } from '../../rest/index.ts';
import { toResult } from '../answer/answer.ts';
import { bodySchemaOf, dataSchema, withAbridged } from '../catalog/outputSchema.ts';
import { readRoute } from '../catalog/readRoute.ts';
import type { DataAnswer, McpCall } from '../declare/tool.ts';

const workflows = bodySchemaOf(listWorkflows);
const ofOne = withAbridged(workflows.items ?? {});
const ofMany = dataSchema({ workflows }, ['workflows']);

/** The definition of a workflow, as list_workflows has it. Throws `notFound`. */
export async function workflowText(
  call: McpCall,
  { app, name }: { app: string; name: string },
  maxBytes: number,
): Promise<string> {
  const found = await findWorkflow(call, app, name);
  return textOf({ about: 'One workflow.', data: { ...Object(found) } }, ofOne, maxBytes);
}

/** The most workflows that a prompt names. */
const maxNamed = 50;

/** The first workflows of an app: their names, triggers and steps. */
export async function workflowsText(call: McpCall, app: string, maxBytes: number): Promise<string> {
  const { body, release } = await readRoute(listWorkflows, call, { more: { app, first: maxNamed } });
  const rows: unknown[] = Array.isArray(body) ? body : [];
  const members = ['name', 'triggers', 'steps'];
  const shown = rows.map((row) => Object.fromEntries(members.map((each) => [each, valueAt(row, [each])])));
  release();
  return textOf({ about: `${shown.length} workflows of the app.`, data: { workflows: shown } }, ofMany, maxBytes);
}

const textOf = (answer: DataAnswer, schema: JsonSchema, maxBytes: number): string =>
  toResult(answer, maxBytes - 1, schema)
    .content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');

/** Workflows are listed by app and name, a page at a time. */
async function findWorkflow(call: McpCall, app: string, name: string): Promise<unknown> {
  let after: string | undefined;
  do {
    const { body, data, release } = await readRoute(listWorkflows, call, { more: { app, after } });
    const rows: unknown[] = Array.isArray(body) ? body : [];
    const workflow = rows.find((row) => valueAt(row, ['name']) === name && valueAt(row, ['app']) === app);
    if (workflow !== undefined) return workflow;
    after = endOfPage(valueAt(data, ['workflowPage', 'pageInfo']));
    release();
  } while (after !== undefined && !call.signal.aborted);
  throw notFound('workflow not found');
}
