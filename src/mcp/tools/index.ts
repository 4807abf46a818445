import type { Tool } from '../declare/tool.ts';
import { type Selection, selectionKey, toolsets } from '../declare/toolsets.ts';
import { approvalReads } from './approvals.ts';
import { bulkWrites } from './bulk.ts';
import { decisionTools } from './decisions.ts';
import { docsReads } from './docs.ts';
import { eventReads } from './events.ts';
import { insightReads } from './insights.ts';
import { runControls } from './runControl.ts';
import { runReads } from './runs.ts';
import { starts } from './starts.ts';
import { webhookReads } from './webhooks.ts';
import { webhookWrites } from './webhookWrites.ts';
import { workflowReads } from './workflows.ts';

/** Every tool, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  ...runReads,
  ...runControls,
  ...workflowReads,
  ...starts,
  ...eventReads,
  ...approvalReads,
  ...decisionTools,
  ...docsReads,
  ...insightReads,
  ...bulkWrites,
  ...webhookReads,
  ...webhookWrites,
];

const byName = new Map(tools.map((tool) => [tool.name, tool]));
const listed = new Map<string, readonly Tool[]>();

/** The tools of an address, in a fixed order. */
export function toolsOf(selection: Selection): readonly Tool[] {
  const key = selectionKey(selection);
  const known = listed.get(key);
  if (known) return known;
  const found = toolsets.flatMap((toolset) =>
    tools.filter((tool) => tool.toolset === toolset && isOffered(tool, selection)),
  );
  listed.set(key, found);
  return found;
}

/** A tool by its name, whether the address offers it or not. */
export const toolNamed = (name: string): Tool | undefined => byName.get(name);

export const isOffered = ({ toolset, isWrite }: Tool, selection: Selection): boolean =>
  selection.toolsets.has(toolset) && !(selection.readonly && isWrite);
