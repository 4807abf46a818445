import { refuseOwnRun } from '../../engine/agents/index.ts';
import { type ApprovalDecision, decisions, isOpen, maxReason } from '../../engine/approvals/index.ts';
import { conflict, invalid } from '../../engine/errors.ts';
import { Operation } from '../../engine/operation.ts';
import { decideApproval, getApproval } from '../../rest/index.ts';
import { abridge } from '../answer/abridge.ts';
import { everything } from '../answer/extent.ts';
import { maxKeyLength } from '../answer/payloadReader.ts';
import { head, visible } from '../answer/visible.ts';
import { bodySchemaOf, dataSchema } from '../catalog/outputSchema.ts';
import { placesIn } from '../catalog/places.ts';
import { oneAnswer, routeRunner, toolOf } from '../catalog/routeTool.ts';
import type { DataAnswer, Tool, ToolAnswer, ToolCall } from '../declare/tool.ts';
import { ask, personsAnswer, refuseAnswer } from '../writes/askPerson.ts';
import { digestOf } from '../writes/digest.ts';
import { quoted } from '../writes/quoted.ts';

const name = 'decide_approval';
const read = routeRunner(getApproval);
const write = routeRunner(decideApproval);

/** The most characters of arguments that a person is shown. */
const maxShown = 8_000;

/** 4.7 */
const decideApprovalTool: Tool = {
  ...toolOf({
    name,
    toolset: 'approvals',
    route: decideApproval,
    title: 'Decide an approval',
    description:
      'Approves or denies, and wakes the run. Where the client can ask its person, the person decides. `args` replaces the proposed arguments. An agent cannot decide on a run that it started.',
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: true },
  }),
  outputSchema: dataSchema({ approval: bodySchemaOf(decideApproval) }, ['approval']),
  async run(call): Promise<ToolAnswer> {
    if (!call.asking.canAsk) return decide(call);
    const bound = { tool: name, digest: digestOf(name, call.arguments) };
    const answer = personsAnswer(call, bound);
    if (!answer) return ask(call, await questionOf(call), bound);
    const status = decisionOf(answer.content);
    if (!status) throw refuseAnswer();
    return decide({ ...call, origin: { ...call.origin, asked: true } }, status);
  },
};

/** `status`: the decision of the person, in place of that of the arguments. */
async function decide(call: ToolCall, status?: ApprovalDecision): Promise<DataAnswer> {
  const { body } = await write(call, status && { query: { status } });
  const about = status ? 'The person decided.' : 'The approval is decided.';
  return oneAnswer(call, body, { about: () => about, member: 'approval', placeOf: placesIn('approvalId') });
}

const decisionOf = ({ status }: Readonly<Record<string, unknown>>): ApprovalDecision | undefined =>
  decisions.find((each) => each === status);

/** Shows the person the tool, the risk and the arguments. Throws what would refuse the decision. */
async function questionOf(call: ToolCall): Promise<Parameters<typeof ask>[1]> {
  const { body, release } = await read(call);
  const { engine, principal, origin, arguments: given } = call;
  const approval = Object(body);
  const { tool, risk, workflow, app, step, runId, summary, status } = approval;
  if (!isOpen(status)) throw conflict('approvalNotOpen');
  await refuseOwnRun(new Operation(engine, principal.projectId).engine.db, origin, String(runId));
  const edited = given.raw('args');
  const reason: unknown = Object(given.value).reason;
  const lines = [
    `Approve the tool ${quoted(tool)}?`,
    `Risk: ${quoted(risk)}. Step ${quoted(step)} of workflow ${quoted(workflow)} in app ${quoted(app)}, run ${runId}.`,
    ...(summary === undefined ? [] : [`Summary: ${quoted(summary, 1_000)}`]),
    `Proposed arguments: ${shownPayload(approval.args, 'cut')}`,
    ...(reason ? [`The agent's reason, which is recorded: ${quoted(reason, maxReason)}`] : []),
    ...(edited ? [`Arguments as the agent changed them: ${shownPayload(edited, 'refuse')}`] : []),
  ];
  release();
  const decision = { type: 'string', title: 'Decision', enum: decisions };
  return { message: lines.join('\n'), properties: { status: decision } };
}

/** A payload on one line. A person must not approve what is not shown. */
function shownPayload(payload: unknown, whenLong: 'cut' | 'refuse'): string {
  const { value, abridged } = abridge(payload, everything);
  const text = visible(JSON.stringify(value) ?? 'none');
  if (abridged.length === 0 && text.length <= maxShown) return text;
  if (whenLong === 'refuse') throw abridged.length === 0 ? tooLarge() : keysNotShown();
  return `${head(text, maxShown)}… (shown in part: ${text.length} characters in all)`;
}

const tooLarge = (): Error =>
  invalid(`args is too large to be shown to the person: at most ${maxShown} characters of JSON`);

const keysNotShown = (): Error =>
  invalid(
    `args cannot be shown whole to the person: its keys must differ visibly and have at most ${maxKeyLength} characters`,
  );

export const decisionTools: readonly Tool[] = [decideApprovalTool];
