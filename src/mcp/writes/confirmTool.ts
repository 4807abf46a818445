import type { Done } from '../../engine/agents/index.ts';
import { invalid } from '../../engine/errors.ts';
import { fields, type JsonSchema } from '../../rest/index.ts';
import { memberOf } from '../catalog/arguments.ts';
import { dataSchema } from '../catalog/outputSchema.ts';
import { type Declared, toolOf } from '../catalog/routeTool.ts';
import type { Tool, ToolAnswer, ToolCall } from '../declare/tool.ts';
import { ask, personsAnswer, requireYes } from './askPerson.ts';
import { digestOf } from './digest.ts';
import type { Confirmation } from './once.ts';
import { open, type Sealed, seal } from './seal.ts';

/** What a call would do. */
export interface Looked {
  preview: { matched: number; capped: boolean; sample: unknown[] } & Record<string, unknown>;
  /** Instants to which the call is bound. */
  until?: string;
  since?: string | undefined;
  /** Whether there is nothing to act on. */
  isNothing?: boolean;
  /** The question for the person: our text, with quoted values. */
  question: string;
}

/** A tool that acts in two calls, or after its person agreed. */
export interface ConfirmTool extends Declared {
  /** The shape of what the act answers. */
  result: Readonly<Record<string, JsonSchema>>;
  /** The text beside the box that the person ticks. */
  box: string;
  /** Arguments that belong to what the tool does, although others use them otherwise. */
  kept?: readonly string[];
  /** Finds what the call would act on, and changes nothing. */
  look(call: ToolCall): Promise<Looked>;
  /** Acts, once for the confirmation. */
  act(call: ToolCall, sealed: Sealed & Confirmation): Promise<ToolAnswer>;
  /** What the first use of a confirmation did: our line. */
  did(done: Done): string;
}

const confirm = fields.optionalText('The token of the preview: acts as previewed.', 1_024);

export function confirmTool(declared: ConfirmTool): Tool {
  const { name, result, box, kept, look, act, did } = declared;
  const used = (done: Done | undefined): string =>
    done === undefined
      ? 'confirm was used before, and its call has not ended or was cut off: look at the runs, then preview again'
      : `confirm was used before: ${did(done)}`;

  const acting = (call: ToolCall, sealed: Sealed, digest: Buffer): Promise<ToolAnswer> =>
    act(call, { ...sealed, digest, used });

  const previewing = async (call: ToolCall, digest: Buffer): Promise<ToolAnswer> => {
    const { preview, until, since, question, isNothing = false } = await look(call);
    if (isNothing) return { about: 'Nothing to act on: nothing was changed.', data: { preview } };
    const bound = { tool: name, digest, until, since };
    if (call.asking.canAsk)
      return ask(call, { message: question, properties: { confirm: { type: 'boolean', title: box } } }, bound);
    const { text, expiresAt } = seal(call, 'confirm', bound);
    const about = 'A preview: nothing was changed. To act, call again with the same arguments and confirm.';
    return { about, data: { preview, confirm: text, expiresAt } };
  };

  const byPerson = async (call: ToolCall, digest: Buffer): Promise<ToolAnswer> => {
    const answer = personsAnswer(call, { tool: name, digest });
    if (!answer) return previewing(call, digest);
    requireYes(answer);
    return acting({ ...call, origin: { ...call.origin, asked: true } }, answer.sealed, digest);
  };

  return {
    ...toolOf({ ...declared, own: { ...declared.own, confirm } }),
    outputSchema: dataSchema({ preview: previewSchema, confirm: { type: 'string' }, expiresAt, ...result }),
    run(call) {
      const digest = digestOf(name, call.arguments, kept);
      const token = memberOf(call.arguments, 'confirm');
      if (token === undefined) return call.asking.canAsk ? byPerson(call, digest) : previewing(call, digest);
      if (typeof token !== 'string') throw invalid('confirm must be a string');
      if (call.asking.canAsk)
        throw invalid('confirm is not taken from a client that can ask its person: call without it');
      return acting(call, open(call, 'confirm', token, { tool: name, digest }), digest);
    },
  };
}

const expiresAt: JsonSchema = { type: 'string', format: 'date-time' };

const previewSchema: JsonSchema = {
  type: 'object',
  required: ['matched', 'capped', 'sample'],
  properties: {
    matched: { type: 'integer' },
    capped: { type: 'boolean' },
    sample: { type: 'array', items: { type: 'object' } },
  },
};
