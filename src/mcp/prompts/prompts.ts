import type { GetPromptResult } from '@modelcontextprotocol/server';
import { approvalIds, apps, type Completer, runIds, runStatuses, spans } from '../completions/completer.ts';
import type { McpCall } from '../declare/tool.ts';
import type { Toolset } from '../declare/toolsets.ts';
import { readPages } from '../library/pages.ts';
import { workflowsText } from '../resources/workflowText.ts';
import { askTool } from '../tools/askTool.ts';
import { toolNamed } from '../tools/index.ts';
import { debugRun, incident, reviewApproval, whyIsItWaiting, writeWorkflow } from './texts.ts';

type Message = GetPromptResult['messages'][number];
export type Given = Readonly<Record<string, string>>;

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  complete: Completer;
}

/** A task that a person starts. No text of a stranger stands in its name, title or description. */
export interface Prompt {
  name: string;
  title: string;
  description: string;
  /** The toolset whose tools the task needs. */
  toolset: Toolset;
  arguments: readonly PromptArgument[];
  /** Our instructions, and what is known as fenced data, all within the bound. */
  messages(call: McpCall, given: Given, maxBytes: number): Promise<Message[]>;
}

const say = (text: string): Message => ({ role: 'user', content: { type: 'text', text } });

/** What a tool answers, as a message. */
async function known(name: string, call: McpCall, { given, maxBytes }: { given: object; maxBytes: number }) {
  const tool = toolNamed(name);
  if (!tool) throw new TypeError(`there is no tool ${name}`);
  return say(await askTool(tool, call, given, maxBytes));
}

/** Instructions, and what one tool says of the argument. */
const about =
  (instructions: string, tool: string): Prompt['messages'] =>
  async (call, given, maxBytes) => [
    say(instructions),
    await known(tool, call, { given, maxBytes: maxBytes - Buffer.byteLength(instructions) }),
  ];

const runId = (complete: Completer): PromptArgument => ({
  name: 'id',
  description: 'The id of the run.',
  required: true,
  complete,
});

const app = (description: string): PromptArgument => ({ name: 'app', description, required: false, complete: apps });

/** The pages that teach how to write a workflow. */
const lessons: readonly string[] = [
  'sdk',
  'guides/how-a-run-lives',
  'guides/flow-control',
  'guides/approvals',
  'guides/ai',
];

export const prompts: readonly Prompt[] = [
  {
    name: 'debug_run',
    title: 'Debug a run',
    description: 'Finds out why a run failed, and what would mend it.',
    toolset: 'runs',
    arguments: [runId(runIds('failed'))],
    messages: about(debugRun, 'diagnose_run'),
  },
  {
    name: 'why_is_it_waiting',
    title: 'Why is it waiting?',
    description: 'Tells why a run does not move: for what, since when, until when, and what would help.',
    toolset: 'runs',
    arguments: [runId(runIds('active'))],
    messages: about(whyIsItWaiting, 'diagnose_run'),
  },
  {
    name: 'review_approval',
    title: 'Review an approval',
    description: 'Explains what is to be decided, and its risk. The person decides.',
    toolset: 'approvals',
    arguments: [
      { name: 'id', description: 'The id of the approval.', required: true, complete: approvalIds('pending') },
    ],
    messages: about(reviewApproval, 'get_approval'),
  },
  {
    name: 'incident',
    title: 'Look into an incident',
    description: 'Groups the runs that failed since a time by their cause, and proposes what to do.',
    toolset: 'runs',
    arguments: [
      {
        name: 'since',
        description: 'An instant, or a span back from now such as `2h`.',
        required: true,
        complete: spans,
      },
      app('Only runs of this app.'),
      { name: 'status', description: 'Runs to look at; default: `failed`.', required: false, complete: runStatuses },
    ],
    async messages(call, { since = '', app: ofApp, status = 'failed' }, maxBytes) {
      const filter = { since, ...(ofApp !== undefined && { app: ofApp }) };
      const room = maxBytes - Buffer.byteLength(incident);
      const ofStats = Math.min(4_096, Math.floor(room / 4));
      return [
        say(incident),
        await known('get_run_stats', call, { given: filter, maxBytes: ofStats }),
        await known('list_runs', call, { given: { ...filter, status }, maxBytes: room - ofStats }),
      ];
    },
  },
  {
    name: 'write_workflow',
    title: 'Write a workflow',
    description: 'Writes a durable workflow with the TypeScript SDK, by the documentation of this version.',
    toolset: 'docs',
    arguments: [app('The app of the new workflow, whose registered workflows are shown.')],
    async messages(call, { app: ofApp }, maxBytes) {
      const room = maxBytes - Buffer.byteLength(writeWorkflow);
      const links = (await readPages()).filter(({ name }) => lessons.includes(name)).map(linkTo);
      if (ofApp === undefined) return [say(writeWorkflow), ...links];
      return [say(writeWorkflow), ...links, say(await workflowsText(call, ofApp, room))];
    },
  },
];

const linkTo = ({ name, title }: { name: string; title: string }): Message => ({
  role: 'user',
  content: { type: 'resource_link', uri: `doc://${name}`, name, title, mimeType: 'text/markdown' },
});
