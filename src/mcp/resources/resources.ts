import {
  approvalIds,
  apps,
  type Completers,
  eventIds,
  pageNames,
  runIds,
  workflowNames,
} from '../completions/completer.ts';
import type { McpCall } from '../declare/tool.ts';
import type { Toolset } from '../declare/toolsets.ts';
import { askTool } from '../tools/askTool.ts';
import { toolNamed } from '../tools/index.ts';
import { pageText } from './pageText.ts';
import { UriTemplate } from './uriTemplate.ts';
import { workflowText } from './workflowText.ts';

export type Values = Readonly<Record<string, string>>;

/** Resources of one kind. Its name, its title and its description hold no text of a stranger. */
export interface ResourceKind {
  template: UriTemplate;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  /** The toolset whose tools read the same. */
  toolset: Toolset;
  complete: Completers;
  /** The text within the bound. Throws `notFound` for what the key's project does not have. */
  read(call: McpCall, values: Values, maxBytes: number): Promise<string>;
}

/** Our line and fenced JSON, as tools answer. */
const mimeType = 'text/plain';

const byTool =
  (name: string): ResourceKind['read'] =>
  (call, values, maxBytes) => {
    const tool = toolNamed(name);
    if (!tool) throw new TypeError(`there is no tool ${name}`);
    return askTool(tool, call, values, maxBytes);
  };

export const resourceKinds: readonly ResourceKind[] = [
  {
    template: new UriTemplate('run://{id}'),
    name: 'run',
    title: 'A run',
    description: 'A run with its input, result and error, as get_run answers it.',
    mimeType,
    toolset: 'runs',
    complete: { id: runIds() },
    read: byTool('get_run'),
  },
  {
    template: new UriTemplate('run://{id}/steps'),
    name: 'run-steps',
    title: 'Steps of a run',
    description: 'The first steps of a run, as list_run_steps answers them. That tool reads further ones.',
    mimeType,
    toolset: 'runs',
    complete: { id: runIds() },
    read: byTool('list_run_steps'),
  },
  {
    template: new UriTemplate('run://{id}/logs'),
    name: 'run-logs',
    title: 'Log lines of a run',
    description: 'Log lines of a run, as list_run_logs answers them. That tool reads further ones.',
    mimeType,
    toolset: 'runs',
    complete: { id: runIds() },
    read: byTool('list_run_logs'),
  },
  {
    template: new UriTemplate('event://{id}'),
    name: 'event',
    title: 'An event',
    description: 'An event with its data, the runs that it started and those that it woke.',
    mimeType,
    toolset: 'events',
    complete: { id: eventIds },
    read: byTool('get_event'),
  },
  {
    template: new UriTemplate('approval://{id}'),
    name: 'approval',
    title: 'An approval',
    description: 'What a run asks a person to approve: the tool, its arguments, the risk, the decision.',
    mimeType,
    toolset: 'approvals',
    complete: { id: approvalIds() },
    read: byTool('get_approval'),
  },
  {
    template: new UriTemplate('workflow://{app}/{name}'),
    name: 'workflow',
    title: 'A workflow',
    description: 'The registered definition of a workflow: triggers, flow control, retries, steps.',
    mimeType,
    toolset: 'workflows',
    complete: { app: apps, name: workflowNames },
    read: (call, { app = '', name = '' }, maxBytes) => workflowText(call, { app, name }, maxBytes),
  },
  {
    template: new UriTemplate('doc://{page}', { takesSlashes: true }),
    name: 'doc',
    title: 'A page of the documentation',
    description: 'A page of the documentation of this version, up to the bound. read_doc reads the rest.',
    mimeType: 'text/markdown',
    toolset: 'docs',
    complete: { page: pageNames },
    read: (_call, { page = '' }, maxBytes) => pageText(page, maxBytes),
  },
];
